// SPDX-License-Identifier: Apache-2.0
// All cases of the operator suite.
#include "tests/executors/cases.h"

namespace corten::test {

const std::vector<Case>& cases() {
  static const auto all = [] {
    std::vector<Case> result;
    for (auto make : {convolution_cases, linear_cases, elementwise_cases, activation_cases, pool_cases, reduction_cases, movement_cases, network_cases})
      for (auto& one : make()) result.push_back(std::move(one));
    return result;
  }();
  return all;
}

}  // namespace corten::test
