// SPDX-License-Identifier: Apache-2.0
// NumPy's array files: .npy, and .npz archives of them.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/tensor.h"
#include "corten/result.h"

namespace corten {

/// One array. Elements: f4 i1 u1 i2 i4 i8 b1, and f8, f2 as f32. Little endian, C order.
/// Errors: anything else, or bytes that end early.
Result<Tensor> read_npy(std::span<const std::byte> bytes, const std::string& file);
std::vector<std::byte> write_npy(const Tensor& tensor);

/// Every array of an archive by name, without ".npy", in the order of the archive.
Result<std::vector<std::pair<std::string, Tensor>>> read_npz(std::span<const std::byte> bytes, const std::string& file);

}  // namespace corten
