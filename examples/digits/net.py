# SPDX-License-Identifier: Apache-2.0
"""The two networks of the digits example: 1×8×8 images with values from 0 to 1 in, ten scores out."""
import torch
from torch import nn


def convolution(in_channels, out_channels, kernel, groups=1):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, kernel, padding=kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(out_channels),
    )


class Separable(nn.Module):
    """A depthwise and a pointwise convolution; the caller applies the last activation."""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.depthwise = convolution(in_channels, in_channels, 3, groups=in_channels)
        self.pointwise = convolution(in_channels, out_channels, 1)

    def forward(self, x):
        x = torch.relu(self.depthwise(x))
        return self.pointwise(x)


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = convolution(1, 16, 3)
        self.widen = Separable(16, 32)
        self.pool = nn.MaxPool2d(2)
        self.refine = Separable(32, 32)
        self.mean = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(32, 10)

    def forward(self, x):
        x = torch.relu(self.stem(x))
        x = torch.relu(self.widen(x))
        x = self.pool(x)
        x = torch.relu(x + self.refine(x))
        x = self.mean(x)
        return self.classifier(torch.flatten(x, 1))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden1 = nn.Linear(64, 32)
        self.hidden2 = nn.Linear(32, 16)
        self.classifier = nn.Linear(16, 10)

    def forward(self, x):
        x = torch.flatten(x, 1)
        x = torch.relu(self.hidden1(x))
        x = torch.relu(self.hidden2(x))
        return self.classifier(x)
