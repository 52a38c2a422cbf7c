# SPDX-License-Identifier: Apache-2.0
"""Tiny modules, one operator variant each: CASES maps a name to (module, input shapes)."""
import torch
from torch import nn
from torch.nn import functional as F

CASES = {}


class Function(nn.Module):
    """`function` of the inputs; tensors given as `constants` are buffers and follow the inputs."""

    def __init__(self, function, *constants):
        super().__init__()
        self.function = function
        for index, constant in enumerate(constants):
            self.register_buffer(f"constant{index}", constant)

    def forward(self, *inputs):
        return self.function(*inputs, *self._buffers.values())


def layer(name, module, *shapes):
    assert name not in CASES, name
    CASES[name] = (module, shapes)


def function(name, f, *shapes, constants=()):
    layer(name, Function(f, *constants), *shapes)


def convolutions():
    image = (1, 6, 9, 8)
    variants = {
        "pointwise": dict(kernel_size=1), "plain": dict(kernel_size=3), "even": dict(kernel_size=(2, 4)), "no_bias": dict(kernel_size=3, bias=False),
        "padded": dict(kernel_size=3, padding=1), "padded_unevenly": dict(kernel_size=(5, 3), padding=(2, 0)),
        "strided": dict(kernel_size=3, stride=2, padding=1),
        "strides": dict(kernel_size=3, stride=(3, 1)), "stride_over_kernel": dict(kernel_size=1, stride=2),
        "dilated": dict(kernel_size=3, dilation=2),
        "dilations": dict(kernel_size=(2, 3), dilation=(3, 2), padding=(3, 2)), "groups": dict(kernel_size=3, groups=3),
        "groups_strided": dict(kernel_size=3, groups=2, stride=2, padding=1),
        "same": dict(kernel_size=3, padding="same"), "same_even": dict(kernel_size=4, padding="same"),
        "same_dilated": dict(kernel_size=(3, 2), padding="same", dilation=(2, 3)),
        "same_groups": dict(kernel_size=2, padding="same", groups=3), "valid": dict(kernel_size=2, padding="valid"),
        "whole_image": dict(kernel_size=(9, 8)),
    }
    for name, options in variants.items():
        layer(f"conv2d_{name}", nn.Conv2d(6, 12, **options), image)
    depthwise = {
        "plain": dict(kernel_size=3), "padded": dict(kernel_size=3, padding=1),
        "strided": dict(kernel_size=(3, 5), stride=(2, 1), padding=(0, 2)), "dilated": dict(kernel_size=3, dilation=2, bias=False),
        "same": dict(kernel_size=4, padding="same"),
    }
    for name, options in depthwise.items():
        layer(f"depthwise_{name}", nn.Conv2d(6, 6, groups=6, **options), image)
    for multiplier in (2, 3):
        layer(f"depthwise_times_{multiplier}", nn.Conv2d(6, 6 * multiplier, 3, groups=6, padding=1), image)
    layer("depthwise_times_8_of_one", nn.Conv2d(1, 8, 3, padding=1), (1, 1, 5, 5))
    layer("conv2d_batch", nn.Conv2d(6, 4, 3, padding=1), (3, 6, 5, 4))
    layer("conv2d_unbatched", nn.Conv2d(6, 4, 3, padding=1), (6, 5, 4))
    lines = {
        "plain": dict(kernel_size=3), "padded": dict(kernel_size=5, padding=2), "strided": dict(kernel_size=4, stride=3, padding=1),
        "dilated": dict(kernel_size=3, dilation=4), "groups": dict(kernel_size=3, groups=2, bias=False),
        "depthwise": dict(kernel_size=3, groups=6, padding=1), "same": dict(kernel_size=4, padding="same"),
        "same_dilated": dict(kernel_size=4, padding="same", dilation=3), "valid": dict(kernel_size=3, padding="valid"),
    }
    for name, options in lines.items():
        layer(f"conv1d_{name}", nn.Conv1d(6, 6, **options), (1, 6, 21))
    weights = torch.randn(4, 6, 3, 3)
    function("conv2d_functional", lambda x, w: F.conv2d(x, w, stride=2), image, constants=[weights])


def linears():
    for rank, shape in enumerate([(9,), (3, 9), (2, 3, 9), (1, 2, 3, 9)], 1):
        layer(f"linear_rank_{rank}", nn.Linear(9, 5), shape)
    layer("linear_no_bias", nn.Linear(9, 5, bias=False), (1, 9))
    layer("linear_no_bias_rank_3", nn.Linear(9, 5, bias=False), (1, 4, 9))
    layer("linear_one", nn.Linear(7, 1), (1, 7))
    layer("linear_tied", nn.Sequential(*[nn.Linear(6, 6)] * 2), (1, 6))
    function("matmul", lambda x, w: x @ w, (3, 7), constants=[torch.randn(7, 4)])
    function("matmul_rank_3", lambda x, w: x @ w, (1, 3, 7), constants=[torch.randn(7, 4)])
    function("addmm", lambda x, b, w: torch.addmm(b, x, w), (3, 7), constants=[torch.randn(4), torch.randn(7, 4)])


def norm(module):
    nn.init.uniform_(module.running_var, 0.2, 3.0)
    nn.init.normal_(module.running_mean)
    if module.affine:
        nn.init.normal_(module.weight)
        nn.init.normal_(module.bias)
    return module


def batch_norms():
    layer("batch_norm_2d", norm(nn.BatchNorm2d(5)), (1, 5, 4, 3))
    layer("batch_norm_1d", norm(nn.BatchNorm1d(5)), (1, 5, 9))
    layer("batch_norm_of_features", norm(nn.BatchNorm1d(5)), (3, 5))
    layer("batch_norm_not_affine", norm(nn.BatchNorm2d(5, affine=False)), (1, 5, 4, 3))
    layer("batch_norm_epsilon", norm(nn.BatchNorm2d(5, eps=0.1)), (1, 5, 4, 3))
    layer("conv_batch_norm_relu", nn.Sequential(nn.Conv2d(3, 5, 3), norm(nn.BatchNorm2d(5)), nn.ReLU()), (1, 3, 6, 6))
    layer("depthwise_batch_norm", nn.Sequential(nn.Conv2d(3, 6, 3, groups=3, bias=False), norm(nn.BatchNorm2d(6))), (1, 3, 6, 6))
    layer("linear_batch_norm", nn.Sequential(nn.Linear(7, 5), norm(nn.BatchNorm1d(5))), (1, 7))
    layer("conv1d_batch_norm", nn.Sequential(nn.Conv1d(3, 5, 3), norm(nn.BatchNorm1d(5)), nn.ReLU6()), (1, 3, 11))
    layer("batch_norm_before_conv", nn.Sequential(norm(nn.BatchNorm2d(3)), nn.Conv2d(3, 5, 3, padding=1)), (1, 3, 6, 6))


def clamps():
    shape = (1, 3, 5, 4)
    layer("relu", nn.ReLU(), shape)
    layer("relu_inplace", nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU(inplace=True)), shape)
    layer("relu6", nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU6()), shape)
    layer("hardtanh", nn.Hardtanh(), shape)
    layer("hardtanh_range", nn.Hardtanh(-0.25, 1.5), shape)
    layer("hardtanh_positive", nn.Hardtanh(0.25, 1.5), shape)
    function("clamp", lambda x: torch.clamp(x, -0.5, 0.75), shape)
    function("clamp_low", lambda x: x.clamp(min=-0.5), shape)
    function("clamp_high", lambda x: x.clamp(max=0.5), shape)
    function("clamp_min", lambda x: torch.clamp_min(x, 0.1), shape)
    function("clamp_max", lambda x: torch.clamp_max(x, 0.1), shape)
    function("clamp_inplace", lambda x: (x * 2).clamp_(-1, 1), shape)
    function("clamp_twice", lambda x: F.relu(x).clamp(max=0.5), shape)


def arithmetic():
    shape = (1, 3, 5, 4)
    operators = {"add": torch.add, "sub": torch.sub, "mul": torch.mul}
    for name, f in operators.items():
        function(name, f, shape, shape)
        function(f"{name}_same_value", lambda x, f=f: f(x, x * 0.5), shape)
        function(f"{name}_scalar", lambda x, f=f: f(x, 0.75), shape)
        function(f"{name}_channels", f, shape, constants=[torch.randn(3, 1, 1)])
        function(f"{name}_columns", f, shape, constants=[torch.randn(4)])
        function(f"{name}_rows", f, shape, constants=[torch.randn(5, 1)])
        function(f"{name}_of_two_ranks", f, (1, 4, 6), (6,))
        function(f"{name}_outer", f, (1, 5, 1), (1, 1, 4))
        function(f"{name}_of_channel_vector", f, shape, (1, 3, 1, 1))
    function("add_alpha", lambda x, y: torch.add(x, y, alpha=3), shape, shape)
    function("sub_alpha", lambda x, y: torch.sub(x, y, alpha=2), shape, shape)
    function("add_integer", lambda x: x + 1, shape)
    function("rsub", lambda x: 1 - x, shape)
    function("rsub_tensor", lambda x, c: torch.rsub(x, c), shape, constants=[torch.randn(3, 1, 1)])
    function("add_relu", lambda x, y: F.relu(x + y), shape, shape)
    function("mul_relu6", lambda x, y: F.relu6(x * y), shape, shape)
    function("add_inplace", lambda x, y: (x * 1.5).add_(y), shape, shape)
    function("neg", torch.neg, shape)
    function("div_scalar", lambda x: x / 4, shape)
    function("div_constant", lambda x, c: x / c, shape, constants=[torch.rand(3, 1, 1) + 0.5])
    for name, f in {"maximum": torch.maximum, "minimum": torch.minimum}.items():
        function(name, f, shape, shape)
        function(f"{name}_channels", f, shape, constants=[torch.randn(3, 1, 1)])
        function(f"{name}_scalar_tensor", f, shape, constants=[torch.tensor(0.25)])
        function(f"{name}_broadcast", f, (1, 3, 5, 4), (1, 3, 1, 1))
    function("max_other", lambda x, y: torch.max(x, y), shape, shape)
    function("min_other", lambda x, y: torch.min(x, y), shape, shape)


def pools():
    image = (1, 5, 9, 8)
    variants = {
        "plain": dict(kernel_size=2), "overlapping": dict(kernel_size=3, stride=2), "strides": dict(kernel_size=(2, 3), stride=(1, 2)),
        "padded": dict(kernel_size=3, stride=2, padding=1),
        "ceil": dict(kernel_size=3, stride=2, ceil_mode=True), "ceil_padded": dict(kernel_size=(3, 2), stride=2, padding=1, ceil_mode=True),
        "ceil_drops_window": dict(kernel_size=2, stride=3, padding=1, ceil_mode=True),
    }
    for name, options in variants.items():
        layer(f"max_pool2d_{name}", nn.MaxPool2d(**options), image)
        layer(f"avg_pool2d_{name}", nn.AvgPool2d(**options), image)
    layer("max_pool2d_dilated", nn.MaxPool2d(3, 1, padding=1, dilation=2), image)
    layer("max_pool2d_batch", nn.MaxPool2d(2), (2, 3, 4, 4))
    layer("avg_pool2d_inside", nn.AvgPool2d(3, 2, padding=1, count_include_pad=False), image)
    layer("avg_pool2d_inside_ceil", nn.AvgPool2d(3, 2, padding=1, count_include_pad=False, ceil_mode=True), image)
    layer("avg_pool2d_divisor", nn.AvgPool2d(2, divisor_override=3), image)
    layer("avg_pool2d_divisor_padded", nn.AvgPool2d(3, 2, padding=1, divisor_override=7), image)
    layer("avg_pool2d_global", nn.AvgPool2d((9, 8)), image)
    lines = {"plain": dict(kernel_size=2), "padded": dict(kernel_size=3, stride=2, padding=1), "ceil": dict(kernel_size=4, stride=3, ceil_mode=True)}
    for name, options in lines.items():
        layer(f"max_pool1d_{name}", nn.MaxPool1d(**options), (1, 5, 18))
        layer(f"avg_pool1d_{name}", nn.AvgPool1d(**options), (1, 5, 18))
    layer("avg_pool1d_inside", nn.AvgPool1d(3, 2, padding=1, count_include_pad=False), (1, 5, 18))
    layer("conv_relu_max_pool", nn.Sequential(nn.Conv2d(5, 4, 3), nn.ReLU(), nn.MaxPool2d(2)), image)


def averages():
    image = (1, 5, 9, 8)
    for size in (1, 3, (3, 4), (2, 8), (9, None), 7):
        layer(f"adaptive_avg_pool2d_{size}".replace(" ", ""), nn.AdaptiveAvgPool2d(size), image)
    layer("adaptive_avg_pool1d_1", nn.AdaptiveAvgPool1d(1), (1, 5, 12))
    layer("adaptive_avg_pool1d_5", nn.AdaptiveAvgPool1d(5), (1, 5, 12))
    for name, dims in {"image": (2, 3), "channels": 1, "rows": 2, "columns": -1, "rows_and_channels": (1, 2), "all_but_batch": (1, 2, 3)}.items():
        for keep in (False, True):
            function(f"mean_{name}{'_kept' if keep else ''}", lambda x, d=dims, k=keep: x.mean(d, k), image)
    function("mean_rank_3", lambda x: x.mean(1), (1, 6, 7))
    function("mean_rank_2", lambda x: x.mean(-1, keepdim=True), (3, 7))
    function("sum_columns", lambda x: x.sum(-1), (1, 3, 7))


def tables():
    shape = (1, 4, 5, 6)
    activations = {
        "sigmoid": nn.Sigmoid(), "tanh": nn.Tanh(), "hardsigmoid": nn.Hardsigmoid(), "hardswish": nn.Hardswish(), "silu": nn.SiLU(),
        "gelu": nn.GELU(), "gelu_tanh": nn.GELU("tanh"),
        "leaky_relu": nn.LeakyReLU(), "leaky_relu_slope": nn.LeakyReLU(0.3), "elu": nn.ELU(), "elu_alpha": nn.ELU(0.4),
    }
    for name, module in activations.items():
        layer(name, module, shape)
        layer(f"conv_{name}", nn.Sequential(nn.Conv2d(4, 3, 1), module), shape)
    for name in ("Hardsigmoid", "Hardswish", "SiLU", "LeakyReLU", "ELU"):
        layer(f"linear_{name.lower()}_inplace", nn.Sequential(nn.Linear(6, 3), getattr(nn, name)(inplace=True)), (1, 6))
    function("sigmoid_inplace", lambda x: torch.sigmoid_(x + 1), shape)
    for dim in (1, 2, 3, -1):
        layer(f"softmax_{dim}", nn.Softmax(dim), shape)
    layer("softmax_rank_2", nn.Softmax(-1), (3, 10))
    layer("softmax_rank_3", nn.Softmax(1), (1, 5, 7))
    layer("softmax_rank_1", nn.Softmax(0), (9,))


def shapes():
    image, rows = (1, 4, 6, 5), (1, 6, 5)
    conv = nn.Conv2d(4, 3, 1)
    function("view", lambda x: x.view(1, 2, 15), rows)
    function("view_of_image", lambda x: x.view(1, 4, 30), image)
    function("reshape_of_image", lambda x: x.reshape(1, 8, 3, 5), image)
    function("reshape_unknown", lambda x: x.reshape(1, -1), image)
    layer("conv_flatten", nn.Sequential(conv, nn.Flatten()), image)
    layer("conv_flatten_linear", nn.Sequential(conv, nn.Flatten(), nn.Linear(90, 4)), image)
    layer("flatten_columns", nn.Flatten(2), image)
    layer("flatten_middle", nn.Flatten(1, 2), image)
    layer("unflatten", nn.Unflatten(1, (2, 3)), rows)
    function("squeeze", lambda x: x.squeeze(), (1, 4, 1, 5))
    function("squeeze_dim", lambda x: x.squeeze(2), (1, 4, 1, 5))
    function("squeeze_dims", lambda x: x.squeeze((0, 2)), (1, 4, 1, 5))
    function("unsqueeze", lambda x: x.unsqueeze(1), rows)
    function("unsqueeze_last", lambda x: x.unsqueeze(-1), rows)
    function("pool_squeeze", lambda x: F.adaptive_avg_pool2d(x, 1).squeeze(-1).squeeze(-1), image)
    for order in ((0, 2, 3, 1), (0, 3, 1, 2), (0, 1, 3, 2), (0, 3, 2, 1)):
        function(f"permute_{''.join(map(str, order))}", lambda x, o=order: x.permute(o), image)
    function("permute_rank_3", lambda x: x.permute(0, 2, 1), rows)
    function("permute_rank_5", lambda x: x.permute(0, 3, 1, 4, 2), (1, 2, 3, 2, 4))
    function("transpose", lambda x: x.transpose(1, 3), image)
    function("transpose_2d", lambda x: x.t(), (3, 5))
    layer("conv_permute_linear", nn.Sequential(conv, Function(lambda x: x.permute(0, 2, 3, 1)), nn.Linear(3, 2)), image)
    function("contiguous", lambda x: x.permute(0, 2, 1).contiguous().view(1, 30), rows)
    function("channel_shuffle", lambda x: x.view(1, 2, 2, 6, 5).transpose(1, 2).reshape(1, 4, 6, 5), image)
    function("clone", lambda x: x.clone() * 2, rows)
    layer("dropout", nn.Sequential(nn.Linear(5, 5), nn.Dropout(0.5)), rows)
    layer("dropout2d", nn.Sequential(conv, nn.Dropout2d(0.5)), image)
    layer("identity", nn.Sequential(nn.Identity(), conv), image)
    function("to_float", lambda x: x.to(torch.float32) + 1, rows)
    function("detach", lambda x: x.detach() + 1, rows)
    function("expand", lambda x: x.expand(1, 4, 5) * 2, (1, 1, 5))


def pieces():
    image, rows = (1, 6, 6, 5), (1, 6, 5)
    for dim in (1, 2, 3):
        function(f"cat_{dim}", lambda x, y, d=dim: torch.cat([x, y], d), image, image)
    function("cat_of_three", lambda x, y: torch.cat([x, y, x], 1), rows, rows)
    function("cat_constant", lambda x, c: torch.cat([x, c], 1), rows, constants=[torch.randn(1, 2, 5)])
    function("cat_last", lambda x, y: torch.cat([x, y], -1), rows, rows)
    function("stack", lambda x, y: torch.stack([x, y], 1), rows, rows)
    for dim in (1, 2, 3):
        function(f"split_{dim}", lambda x, d=dim: torch.split(x, 2, d), image)
        function(f"chunk_{dim}", lambda x, d=dim: torch.chunk(x, 3, d), image)
    function("split_sizes", lambda x: torch.split(x, [1, 3, 2], 1), image)
    function("split_one_used", lambda x: torch.split(x, 2, 1)[1] + 1, image)
    function("unbind", lambda x: torch.unbind(x, 1), rows)
    function("slice_channels", lambda x: x[:, 1:4], image)
    function("slice_rows", lambda x: x[:, :, 2:], image)
    function("slice_columns", lambda x: x[..., 1:4], image)
    function("slice_step", lambda x: x[:, :, ::2, 1::3], image)
    function("slice_negative", lambda x: x[:, -3:-1], image)
    function("slice_beyond_end", lambda x: x[:, 2:100], image)
    function("select", lambda x: x[:, 2], image)
    function("select_last", lambda x: x.select(-1, -1), image)
    function("select_row", lambda x: x[:, :, 1], image)
    function("narrow", lambda x: x.narrow(1, 2, 3), rows)
    function("pad", lambda x: F.pad(x, (1, 2)), image)
    function("pad_image", lambda x: F.pad(x, (1, 2, 0, 3)), image)
    function("pad_value", lambda x: F.pad(x, (1, 1, 1, 1), value=0.5), image)
    function("pad_channels", lambda x: F.pad(x, (0, 0, 0, 0, 1, 2)), image)
    function("pad_negative", lambda x: F.pad(x, (-1, 1)), image)
    layer("pad_conv", nn.Sequential(nn.ZeroPad2d((0, 1, 2, 1)), nn.Conv2d(6, 3, 3, stride=2)), image)
    layer("pad_value_conv", nn.Sequential(nn.ConstantPad2d(1, 1.0), nn.Conv2d(6, 3, 3)), image)


def structures():
    """Operators that other operators stand next to, where fusing can go wrong."""
    image = (1, 4, 7, 6)
    one, two = nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = one, two

        def forward(self, x):
            return F.relu(x + self.two(F.relu(self.one(x))))

    class Shared(nn.Module):
        """A convolution whose output is used with and without its relu."""

        def __init__(self):
            super().__init__()
            self.conv = one

        def forward(self, x):
            y = self.conv(x)
            return torch.cat([y, F.relu(y)], 1)

    class Twice(nn.Module):
        """One layer, called twice."""

        def __init__(self):
            super().__init__()
            self.conv = two

        def forward(self, x):
            return self.conv(torch.tanh(self.conv(x)))

    layer("residual", Residual(), image)
    layer("relu_and_not", Shared(), image)
    layer("called_twice", Twice(), image)
    function("input_is_output", lambda x: (x, F.relu(x)), image)
    function("unused_input", lambda x, y: y * 2, image, image)
    function("constant_folds", lambda x, c: x + torch.sigmoid(c * 2), image, constants=[torch.randn(4, 1, 1)])


torch.manual_seed(20)
for make in (convolutions, linears, batch_norms, clamps, arithmetic, pools, averages, tables, shapes, pieces, structures):
    make()
