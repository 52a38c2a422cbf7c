// SPDX-License-Identifier: Apache-2.0
// Builds and runs programs on this machine instead of in QEMU.
#pragma once
#include <filesystem>
#include <vector>

#include "corten/result.h"
#include "simulate/process.h"
#include "simulate/simulate.h"

namespace corten {

/// build() for the core "host". Fails also when `options` ask for kernels that this machine cannot run.
Result<Elf> build_on_host(const Core& core, const std::vector<SimulatedProgram>& programs,
                          const std::filesystem::path& work_folder, const BuildOptions& options);

/// The command that runs what build_on_host() linked.
Command host_command(const Elf& elf, const SimulateOptions& options);

}  // namespace corten
