// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the .npy and .npz readers; an array that is read must come back from what is written of it.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "compiler/formats/npy.h"
#include "tests/formats/zip_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("PK")) {
    (void)corten::read_npz(bytes, "fuzz.npz");
    return 0;
  }
  (void)corten::read_npz(corten::test::write_zip({{"a.npy", text}}), "fuzz.npz");
  const auto tensor = corten::read_npy(bytes, "fuzz.npy");
  if (!tensor) return 0;
  const auto back = corten::read_npy(corten::write_npy(*tensor), "fuzz.npy");
  if (!back || !(*back == *tensor)) std::abort();
  return 0;
}
