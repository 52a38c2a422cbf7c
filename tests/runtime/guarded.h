// SPDX-License-Identifier: Apache-2.0
// Buffers between guard bytes, and the data kernels are tried on.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace corten::rt::test {

/// count elements between 32 guard bytes on each side, prefilled with 0x55, aligned to 16.
template <class Element>
class Guarded {
 public:
  explicit Guarded(std::size_t count, std::size_t skew = 0) : count_(count), skew_(skew), bytes_(count * sizeof(Element) + 2 * margin + 16 + skew, 0x55) {}
  Element* data() { return reinterpret_cast<Element*>(bytes_.data() + start()); }
  std::size_t size() const { return count_; }
  std::vector<Element> values() { return std::vector<Element>(data(), data() + count_); }
  void expect_guards() const {
    const auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(start()), last = first + static_cast<std::ptrdiff_t>(count_ * sizeof(Element));
    const auto untouched = [](unsigned char byte) { return byte == 0x55; };
    EXPECT_TRUE(std::all_of(bytes_.begin(), first, untouched)) << "wrote before the buffer";
    EXPECT_TRUE(std::all_of(last, bytes_.end(), untouched)) << "wrote past the buffer";
  }

 private:
  static constexpr std::size_t margin = 32;
  std::size_t start() const { return margin + (16 - (reinterpret_cast<std::uintptr_t>(bytes_.data()) + margin) % 16) % 16 + skew_; }

  std::size_t count_, skew_;
  std::vector<unsigned char> bytes_;
};

using Random = std::mt19937;

inline int pick(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

/// What fills a tensor of codes.
enum class Data { Uniform, Lowest, Highest, Alternating, Extremes };
inline constexpr Data all_data[] = {Data::Uniform, Data::Lowest, Data::Highest, Data::Alternating, Data::Extremes};

inline std::vector<std::int8_t> codes(std::size_t count, Data data, Random& random) {
  std::vector<std::int8_t> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool up = data == Data::Highest || (data == Data::Alternating && i % 2 == 0) || (data == Data::Extremes && pick(random, 0, 1) == 0);
    result[i] = static_cast<std::int8_t>(data == Data::Uniform ? pick(random, -128, 127) : up ? 127 : -128);
  }
  return result;
}

template <class T = std::int32_t>
std::vector<T> integers(std::size_t count, int low, int high, Random& random) {
  std::vector<T> result(count);
  for (auto& value : result) value = static_cast<T>(pick(random, low, high));
  return result;
}

}  // namespace corten::rt::test
