// SPDX-License-Identifier: Apache-2.0
// Reads .pt2 files, which torch.export.save writes, without Python.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "compiler/frontends/source_graph.h"
#include "corten/result.h"

namespace corten {

/// Reads every layout from PyTorch 2.5 on, float or quantized, training IR or decomposed. The result is functional and free of dead nodes;
/// a symbolic batch becomes 1. Any bytes are safe to pass: at most 64 MiB beyond the file's size are allocated for damaged ones.
/// Errors: damage; models in training mode, with memory between calls, control flow or custom objects; elements Corten lacks.
Result<SourceGraph> read_pt2(const std::string& path);
/// `name` is the file's name in origins; its stem names the graph.
Result<SourceGraph> read_pt2(std::span<const std::byte> bytes, const std::string& name);

}  // namespace corten
