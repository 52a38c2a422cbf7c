// SPDX-License-Identifier: Apache-2.0
// Module paths and source lines as users should read them.
#include "compiler/frontends/pt2_origin.h"

#include <gtest/gtest.h>

namespace corten::pt2 {
namespace {

TEST(Origins, ModulePathOfNonStrictExport) {
  EXPECT_EQ(module_path("L__self__,,__main__.Net;L__self__features,features,torch.nn.Sequential;"
                        "L__self__features.4.conv,features.4.conv,torch.nn.modules.conv.Conv2d"),
            "features.4.conv");
  EXPECT_EQ(module_path("L__self__,,__main__.Net"), "");
  EXPECT_EQ(module_path("L__self__act@1,act@1,torch.nn.modules.activation.ReLU"), "act");
}

TEST(Origins, ModulePathOfStrictExport) {
  EXPECT_EQ(module_path("L__self__,,__main__.Net;L__s___a,L['s'].a,torch.nn.modules.linear.Linear"), "a");
  EXPECT_EQ(module_path("k,L['self'].features[4].conv,torch.nn.modules.conv.Conv2d"), "features.4.conv");
  EXPECT_EQ(module_path("k,L['self']._modules['features']._modules['4'],torch.nn.modules.conv.Conv2d"), "features.4");
  EXPECT_EQ(module_path("k,getattr(L['self'].features, '4').conv,torch.nn.modules.conv.Conv2d"), "features.4.conv");
  EXPECT_EQ(module_path("k,getattr(getattr(L['self'].a, '1'), \"0\"),torch.nn.modules.conv.Conv2d"), "a.1.0");
  EXPECT_EQ(module_path("k,L['self'],__main__.Net"), "");
}

TEST(Origins, DamagedModulePaths) {
  for (const auto* text : {"", ";", ",", "a,b", "a", "a,getattr(,b", "a,getattr(x,'),b", "a,[[]],b"}) (void)module_path(text);
  EXPECT_EQ(module_path("a,b"), "");
}

TEST(Origins, InnermostUserFrame) {
  EXPECT_EQ(source_line("File \"src/net.py\", line 57, in forward\n    return self.classifier(x)\n"
                        "  File \"env/lib/site-packages//torch/nn/modules/linear.py\", line 134, in forward\n    return F.linear(input, self.weight, self.bias)"),
            "net.py:57 in forward: return self.classifier(x)");
  EXPECT_EQ(source_line("  File \"a.py\", line 1, in forward\n    x = self.block(x)\n  File \"b.py\", line 2, in block\n    return conv(x)\n    ^^^^^^^\n"),
            "b.py:2 in block: return conv(x)");
  EXPECT_EQ(source_line("  File \"C:\\\\nets\\\\a.py\", line 3, in forward\n    y\n  File \"<eval_with_key>.0\", line 9, in forward\n    z = 1"),
            "a.py:3 in forward: y");
}

TEST(Origins, TorchFrameIfThereIsNoOther) {
  EXPECT_EQ(source_line("  File \"/usr/lib/python3/dist-packages/torch/nn/functional.py\", line 5, in relu\n    result = torch.relu(input)"),
            "functional.py:5 in relu: result = torch.relu(input)");
  EXPECT_EQ(source_line(""), "");
  EXPECT_EQ(source_line("nonsense\n\nFile \"x\"\nFile \"x\", line"), "");
}

}  // namespace
}  // namespace corten::pt2
