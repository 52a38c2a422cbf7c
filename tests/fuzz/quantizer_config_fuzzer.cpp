// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the reader of --quantize files.
#include <cstdint>

#include "compiler/quantize/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)corten::read_quantizer_config(std::string(reinterpret_cast<const char*>(data), size), "fuzz.json");
  return 0;
}
