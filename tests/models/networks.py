# SPDX-License-Identifier: Apache-2.0
"""Small networks that differ in structure. Channel counts are odd on purpose: kernels have remainders to get wrong.

NETWORKS maps a name to a function that returns the module and the shapes of its inputs, batch of one included.
"""
import torch
from torch import nn
from torch.nn import functional as F


def convolution(in_channels, out_channels, kernel, **options):
    return nn.Sequential(nn.Conv2d(in_channels, out_channels, kernel, bias=False, **options), nn.BatchNorm2d(out_channels))


class Sensor(nn.Module):
    """Activity recognition on 128 samples of 3 axes, with the samples on the time axis of conv1d."""

    def __init__(self, padding):
        super().__init__()
        self.conv1 = nn.Conv1d(3, 16, 5, padding=padding)
        self.conv2 = nn.Conv1d(16, 32, 5, padding=padding)
        self.conv3 = nn.Conv1d(32, 32, 3, padding=padding)
        self.pool = nn.MaxPool1d(2)
        self.classifier = nn.Linear(32, 6)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = F.relu(self.conv3(x)).mean(-1)
        return F.softmax(self.classifier(x), -1)


class InvertedResidual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = convolution(3, 7, 3, stride=2, padding=1)
        self.expand = convolution(7, 21, 1)
        self.depthwise = convolution(21, 21, 3, padding=1, groups=21)
        self.project = convolution(21, 7, 1)
        self.down = convolution(7, 11, 5, stride=2, padding=2)
        self.classifier = nn.Linear(11, 5)

    def forward(self, x):
        x = F.hardswish(self.stem(x))
        x = x + self.project(F.hardswish(self.depthwise(F.hardswish(self.expand(x)))))
        x = F.hardswish(self.down(x))
        return self.classifier(F.adaptive_avg_pool2d(x, 1).flatten(1))


class SqueezeExcite(nn.Module):
    def __init__(self, gate):
        super().__init__()
        self.stem = convolution(2, 13, 3, padding=1)
        self.squeeze = nn.Conv2d(13, 5, 1)
        self.excite = nn.Conv2d(5, 13, 1)
        self.gate = gate
        self.head = nn.Conv2d(13, 3, 1)

    def forward(self, x):
        x = F.relu(self.stem(x))
        weight = x.mean((2, 3), keepdim=True)
        weight = self.gate(self.excite(F.relu(self.squeeze(weight))))
        return self.head(x * weight)


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = convolution(3, 5, 1)
        self.three = nn.Sequential(convolution(3, 3, 1), nn.ReLU(), convolution(3, 7, 3, padding=1))
        self.wide = convolution(3, 3, (1, 5), padding=(0, 2))
        self.pooled = convolution(3, 3, 1)
        self.head = nn.Linear(18, 4)

    def forward(self, x):
        pooled = self.pooled(F.max_pool2d(x, 3, 1, 1))
        x = F.relu(torch.cat([self.one(x), self.three(x), self.wide(x), pooled], 1))
        return self.head(x.mean([2, 3]))


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(41, 17), nn.BatchNorm1d(17), nn.ReLU(), nn.Linear(17, 5), nn.ReLU())
        self.decoder = nn.Sequential(nn.Linear(5, 17), nn.ReLU(), nn.Dropout(0.1), nn.Linear(17, 41, bias=False))

    def forward(self, x):
        return self.decoder(self.encoder(x))


class GroupedDilated(nn.Module):
    def __init__(self):
        super().__init__()
        self.grouped = nn.Conv2d(6, 9, 3, groups=3, padding=1)
        self.dilated = nn.Conv2d(9, 5, 3, dilation=2, padding=(2, 1))
        self.uneven = nn.Conv2d(5, 10, (3, 2), stride=(1, 2), dilation=(2, 3), groups=5, padding=(3, 0))

    def forward(self, x):
        x = F.relu6(self.grouped(x))
        x = F.relu(self.dilated(x))
        return self.uneven(x)


class MultiInput(nn.Module):
    """An image and a vector of three readings."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 5, 3, stride=2)
        self.readings = nn.Linear(3, 5)
        self.head = nn.Linear(10, 3)

    def forward(self, image, readings):
        seen = F.relu(self.conv(image)).mean((2, 3))
        return self.head(torch.cat([seen, torch.tanh(self.readings(readings))], 1))


class MultiOutput(nn.Module):
    """Scores, a map, and features that are both an output and used further on."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 7, 3, padding=1)
        self.mask = nn.Conv2d(7, 1, 1)
        self.head = nn.Linear(7, 3)

    def forward(self, x):
        features = F.relu(self.conv(x))
        return self.head(features.mean((2, 3))), torch.sigmoid(self.mask(features)), features


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = convolution(3, 5, 3, padding=1)
        self.same = nn.Sequential(convolution(5, 5, 3, padding=1), nn.ReLU(), convolution(5, 5, 3, padding=1))
        self.down = nn.Sequential(convolution(5, 9, 3, stride=2, padding=1), nn.ReLU(), convolution(9, 9, 3, padding=1))
        self.shortcut = convolution(5, 9, 1, stride=2)
        self.head = nn.Linear(9, 10)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = F.relu(x + self.same(x))
        x = F.relu(self.shortcut(x) + self.down(x))
        return self.head(torch.flatten(F.avg_pool2d(x, 6), 1))


class AveragePools(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 7, 1)
        self.ceil = nn.AvgPool2d(3, 2, padding=1, ceil_mode=True)
        self.inside = nn.AvgPool2d((3, 2), (2, 1), padding=(1, 1), count_include_pad=False)
        self.divisor = nn.AvgPool2d(2, 1, divisor_override=3)
        self.adaptive = nn.AdaptiveAvgPool2d((3, 2))

    def forward(self, x):
        x = F.leaky_relu(self.conv(x), 0.125)
        x = self.inside(self.ceil(x))
        return self.adaptive(self.divisor(x))


class Axes(nn.Module):
    """Softmax over channels, over columns and over features, with real transposes between."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 5, 3)
        self.mix = nn.Linear(5, 7)

    def forward(self, x):
        x = F.softmax(self.conv(x), 1)
        x = self.mix(x.permute(0, 2, 3, 1))
        x = F.softmax(x.transpose(1, 3), 2)
        return F.softmax(x.reshape(1, 7, -1), -1).squeeze(0)


class Pieces(nn.Module):
    """Split, chunk, slice and select, on channels and on rows."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 11, 3, padding=1)
        self.left = nn.Conv2d(5, 3, 1)
        self.head = nn.Linear(27, 5)

    def forward(self, x):
        first, second, last = torch.split(F.relu(self.conv(x)), [5, 3, 3], 1)
        upper, lower = torch.chunk(self.left(first), 2, 2)
        x = torch.cat([upper[:, :, ::2, 1:-1], second[:, :, 1:3, :6], last[:, :, -2:, 2:]], 1)
        row = x.select(2, 1)
        return self.head(row[:, :, 2:5].flatten(1))


class Activations(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 9, 3)
        self.functions = nn.ModuleList([nn.SiLU(), nn.GELU(), nn.GELU("tanh"), nn.LeakyReLU(0.2), nn.ELU(0.7), nn.Tanh(),
                                        nn.Sigmoid(), nn.Hardsigmoid(), nn.Hardswish(), nn.Hardtanh(-0.5, 1.25)])
        self.layers = nn.ModuleList([nn.Conv2d(9, 9, 1) for _ in self.functions])

    def forward(self, x):
        x = self.conv(x)
        for layer, function in zip(self.layers, self.functions):
            x = function(layer(x))
        return torch.clamp(x, min=-0.25)


class Arithmetic(nn.Module):
    """Elementwise operators with broadcast operands, constants and scalars."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 7, 1)
        self.b = nn.Conv2d(3, 7, 1)
        self.bias = nn.Parameter(torch.randn(7, 1, 1))
        self.register_buffer("rows", torch.rand(5, 1))

    def forward(self, x):
        a, b = self.a(x), self.b(x)
        high, low = torch.maximum(a, b), torch.minimum(a, b)
        x = (high - low * self.rows) * 0.5 + self.bias
        x = 1.0 - x * b.mean((2, 3), keepdim=True)
        return x - torch.add(a[:, :, :1], b[:, :, :, 3:4], alpha=2)


class DepthMultiplier(nn.Module):
    def __init__(self):
        super().__init__()
        self.doubled = nn.Conv2d(5, 10, 3, groups=5, padding=1)
        self.tripled = nn.Conv2d(10, 30, (5, 1), stride=2, groups=10, bias=False)
        self.head = nn.Conv2d(30, 3, 1)

    def forward(self, x):
        return self.head(F.relu(self.tripled(F.relu(self.doubled(x)))))


class SamePadding(nn.Module):
    """Padding by name; an even kernel has one more row or column of it at the end."""

    def __init__(self):
        super().__init__()
        self.even = nn.Conv2d(3, 7, 4, padding="same")
        self.mixed = nn.Conv2d(7, 5, (2, 3), padding="same", dilation=(3, 1))
        self.valid = nn.Conv2d(5, 3, 2, padding="valid")

    def forward(self, x):
        return self.valid(F.relu(self.mixed(F.relu(self.even(x)))))


class Sequence(nn.Module):
    """One-dimensional convolutions and pools with padding, stride and groups."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(1, 9, 7, stride=2, padding=3)
        self.norm = nn.BatchNorm1d(9)
        self.conv2 = nn.Conv1d(9, 9, 3, padding="same", groups=9, dilation=2)
        self.conv3 = nn.Conv1d(9, 11, 4, padding="same")
        self.largest = nn.MaxPool1d(3, 2, padding=1)
        self.average = nn.AvgPool1d(4, 3, padding=1)

    def forward(self, x):
        x = self.largest(F.relu(self.norm(self.conv1(x))))
        x = F.relu(self.conv3(F.relu(self.conv2(x))))
        return self.average(x)


class Ranks(nn.Module):
    """Linear layers on rank 4, 3 and 2, with views between."""

    def __init__(self):
        super().__init__()
        self.columns = nn.Linear(9, 5)
        self.merged = nn.Linear(15, 7)
        self.head = nn.Linear(28, 3)

    def forward(self, x):
        x = F.relu(self.columns(x))
        x = F.relu(self.merged(x.permute(0, 2, 1, 3).reshape(1, 4, 15)))
        return self.head(x.view(1, -1)).unsqueeze(-1)


class Padding(nn.Module):
    """Constant pads that fold into a convolution, that can't, and a max pool in ceiling mode."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 5, 3)
        self.uneven = nn.Conv2d(5, 7, 3, stride=2)
        self.pool = nn.MaxPool2d(3, 2, padding=1, ceil_mode=True)

    def forward(self, x):
        x = F.relu(self.conv(F.pad(x, (1, 1, 1, 1))))
        x = F.relu(self.uneven(F.pad(x, (0, 1, 2, 0))))
        x = self.pool(F.pad(x, (1, 0, 0, 2), value=0.5))
        return F.dropout(x, 0.2, self.training)


NETWORKS = {
    "sensor_same": lambda: (Sensor("same"), [(1, 3, 128)]),
    "sensor_valid": lambda: (Sensor("valid"), [(1, 3, 128)]),
    "inverted_residual": lambda: (InvertedResidual(), [(1, 3, 15, 13)]),
    "squeeze_excite_hardsigmoid": lambda: (SqueezeExcite(nn.Hardsigmoid()), [(1, 2, 9, 11)]),
    "squeeze_excite_sigmoid": lambda: (SqueezeExcite(nn.Sigmoid()), [(1, 2, 9, 11)]),
    "inception": lambda: (Inception(), [(1, 3, 11, 9)]),
    "autoencoder": lambda: (Autoencoder(), [(1, 41)]),
    "grouped_dilated": lambda: (GroupedDilated(), [(1, 6, 11, 13)]),
    "multi_input": lambda: (MultiInput(), [(1, 1, 9, 9), (1, 3)]),
    "multi_output": lambda: (MultiOutput(), [(1, 2, 7, 5)]),
    "resnet": lambda: (ResNet(), [(1, 3, 12, 12)]),
    "average_pools": lambda: (AveragePools(), [(1, 3, 12, 11)]),
    "axes": lambda: (Axes(), [(1, 3, 7, 9)]),
    "pieces": lambda: (Pieces(), [(1, 3, 8, 8)]),
    "activations": lambda: (Activations(), [(1, 3, 7, 7)]),
    "arithmetic": lambda: (Arithmetic(), [(1, 3, 5, 6)]),
    "depth_multiplier": lambda: (DepthMultiplier(), [(1, 5, 11, 7)]),
    "same_padding": lambda: (SamePadding(), [(1, 3, 9, 7)]),
    "sequence": lambda: (Sequence(), [(1, 1, 61)]),
    "ranks": lambda: (Ranks(), [(1, 3, 4, 9)]),
    "padding": lambda: (Padding(), [(1, 3, 9, 10)]),
}
