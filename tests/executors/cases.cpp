// SPDX-License-Identifier: Apache-2.0
// All cases of the operator suite.
#include "tests/executors/cases.h"

#include <cstdlib>

namespace corten::test {
namespace {

int number_in_environment(const char* name, int fallback) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : fallback;
}

std::vector<Case> usual_random_cases() {
  return random_cases(static_cast<std::uint32_t>(number_in_environment("CORTEN_SEED", 1)), number_in_environment("CORTEN_CASES", 150));
}

}  // namespace

const std::vector<Case>& cases() {
  static const auto all = [] {
    std::vector<Case> result;
    for (auto make : {convolution_cases, linear_cases, elementwise_cases, activation_cases, pool_cases, reduction_cases, movement_cases, network_cases, width_cases, scale_cases, usual_random_cases})
      for (auto& one : make()) result.push_back(std::move(one));
    return result;
  }();
  return all;
}

}  // namespace corten::test
