// SPDX-License-Identifier: Apache-2.0
// The operator suite: small networks that every executor runs.
#pragma once
#include <string>
#include <vector>

#include "compiler/quantize/config.h"
#include "tests/support/network.h"

namespace corten::test {

struct Case {
  std::string name;  // an identifier
  Network network;
  /// Steps by which an integer result may lie beside its quantized float meaning: 1 for one rounding to another side of a
  /// half; more where roundings of several layers or of an approximation add up, 0 where integers only move.
  int steps = 1;
  QuantizerConfig quantizer = {};
};

std::vector<Case> convolution_cases();
std::vector<Case> linear_cases();
std::vector<Case> elementwise_cases();
std::vector<Case> activation_cases();
std::vector<Case> pool_cases();
std::vector<Case> reduction_cases();
std::vector<Case> movement_cases();
std::vector<Case> network_cases();
std::vector<Case> width_cases();
std::vector<Case> scale_cases();
/// One network per seed from `first_seed` on.
std::vector<Case> random_cases(std::uint32_t first_seed, int count);

/// All of them. CORTEN_SEED and CORTEN_CASES in the environment choose other random cases than the usual ones.
const std::vector<Case>& cases();

}  // namespace corten::test
