// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the .pt2 reader. Zip checksums stop random bytes early, so input that is no zip becomes one member of an archive.
#include <cstdint>
#include <span>
#include <string>

#include "compiler/formats/torch_save.h"
#include "compiler/frontends/pt2.h"
#include "tests/formats/zip_writer.h"

namespace {

using corten::test::Member;

void read(const std::vector<Member>& members) { (void)corten::read_pt2(corten::test::write_zip(members), "fuzz.pt2"); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("PK")) {
    (void)corten::read_pt2(bytes, "fuzz.pt2");
    (void)corten::read_saved_tensors(bytes);
  } else if (text.starts_with("{")) {
    read({{"a/archive_format", "pt2"}, {"a/models/model.json", text}});
  } else {
    const auto saved = corten::test::write_zip({{"a/data.pkl", text}, {"a/data/0", std::string(64, '\1')}});
    (void)corten::read_saved_tensors(saved);
  }
  return 0;
}
