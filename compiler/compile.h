// SPDX-License-Identifier: Apache-2.0
// The journey of a model, from file to program.
#pragma once
#include <set>
#include <string>

#include "compiler/emit/emit.h"
#include "compiler/passes/pass.h"
#include "compiler/quantize/quantizer.h"
#include "compiler/samples.h"

namespace corten {

/// What lies at the program's ends: the int8 inside, or floats.
enum class Io { Quantized, Float };

struct CompileOptions {
  std::string calibrate = {};             // sample files; needed for a float model
  QuantizeOptions quantize = {};
  Rounding rounding = Rounding::Double;
  Io io = Io::Quantized;
  bool framework_layout = false;          // ends lie as in the model file (NCHW)
  std::string name = {};                  // of the program; the file's stem by default
  PlanOptions plan = {};
  PassWatcher watcher = {};
  std::function<void(const Diagnostics&)> warn = {};
};

/// The graph of a `.pt2` or `.cir` file as the file has it.
Result<Graph> load_model(const std::string& path, const CompileOptions& options);

/// Takes a graph forward to `stage`: cleans up the float graph, calibrates and quantizes it, folds, lowers.
/// A graph that is already there, or further, stays as it is.
Result<Graph> bring_to_stage(Graph graph, Stage stage, const CompileOptions& options);

/// The graph as it is after pass `last`. Precondition: find_pass(last).
Result<Graph> graph_after_pass(const std::string& path, std::string_view last, const CompileOptions& options);

/// An integer graph as a program for `core`.
Result<Program> compile(const std::string& path, const Core& core, const CompileOptions& options);

/// Writes all files into `folder`, which appears whole or not at all; files of an earlier program there are replaced.
Status write_files(const Files& files, const std::string& folder);

}  // namespace corten
