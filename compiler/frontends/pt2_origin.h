// SPDX-License-Identifier: Apache-2.0
// Turns the traces a .pt2 file carries into words a user recognizes.
#pragma once
#include <string>
#include <string_view>

namespace corten::pt2 {

/// Innermost path of "key,path,type;key,path,type": "features.4.conv", also from dynamo's "L['self'].features[4].conv".
std::string module_path(std::string_view nn_module_stack);

/// Class of the innermost module: "torch.nn.modules.linear.Linear". Empty when unknown.
std::string module_type(std::string_view nn_module_stack);

/// Innermost frame outside of torch: "net.py:57 in forward: return self.classifier(x)". Empty without frames.
std::string source_line(std::string_view stack_trace);

}  // namespace corten::pt2
