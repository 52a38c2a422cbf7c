# SPDX-License-Identifier: Apache-2.0
"""Networks that Corten must refuse, each with the line, module and operator its diagnostic has to name.

The line to be named carries the comment `# broken: NAME`.
"""
import dataclasses

import torch
from torch import nn
from torch.nn import functional as F


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 7, batch_first=True)
        self.head = nn.Linear(7, 3)

    def forward(self, x):
        states, _ = self.lstm(x)  # broken: lstm
        return self.head(states[:, -1])


class Normalized(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 5, 3)
        self.norm = nn.LayerNorm([5, 6, 6])

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)))  # broken: layer_norm


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(31, 8)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        x = self.words(x)  # broken: embedding
        return self.head(x.mean(1))


class Volume(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(1, 3, 3)

    def forward(self, x):
        return F.relu(self.conv(x))  # broken: conv3d


class StillTraining(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.ModuleDict({"conv": nn.Conv2d(3, 5, 3), "norm": nn.BatchNorm2d(5)})

    def forward(self, x):
        x = self.features["conv"](x)
        return F.relu(self.features["norm"](x))  # broken: training_batch_norm


class ForcedDropout(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(9, 3)

    def forward(self, x):
        x = F.dropout(x, 0.5, training=True)  # broken: training_dropout
        return self.head(x)


class Spectrum(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(9, 3)

    def forward(self, x):
        spectrum = torch.fft.rfft(x)  # broken: fft
        return self.head(spectrum.abs())


class RunningSum(nn.Module):
    def forward(self, x):
        return torch.cumsum(x, 1)  # broken: cumsum_in_sequential


class WeightFromOutside(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(9, 5)

    def forward(self, x, weight):
        x = F.relu(self.first(x))
        return F.linear(x, weight)  # broken: runtime_weight


class Best(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(9, 7)

    def forward(self, x):
        scores = self.head(x)
        return torch.topk(scores, 3).values  # broken: topk


class Several(nn.Module):
    """Two unsupported operators; one error must list both."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(9, 7)

    def forward(self, x):
        x = torch.cumsum(self.head(x), 1)  # broken: several
        return torch.sort(x, 1).values


@dataclasses.dataclass
class Broken:
    module: nn.Module
    inputs: list            # example tensors
    targets: list           # operators to be named, as PyTorch spells them
    path: str               # module path of the first
    training: bool = False


def broken_networks():
    image = torch.zeros(1, 3, 8, 8)
    chain = nn.Sequential(nn.Linear(9, 5), nn.ReLU(), nn.Sequential(nn.Linear(5, 5), RunningSum()), nn.Linear(5, 3))
    return {
        "lstm": Broken(Recurrent(), [torch.zeros(1, 6, 5)], ["aten.lstm.input"], "lstm"),
        "layer_norm": Broken(Normalized(), [image], ["aten.layer_norm.default"], "norm"),
        "embedding": Broken(Words(), [torch.zeros(1, 4, dtype=torch.int64)], ["aten.embedding.default"], "words"),
        "conv3d": Broken(Volume(), [torch.zeros(1, 1, 5, 5, 5)], ["aten.conv3d.default"], "conv"),
        "training_batch_norm": Broken(StillTraining(), [torch.zeros(2, 3, 8, 8)], ["aten.batch_norm.default"], "features.norm", training=True),
        "training_dropout": Broken(ForcedDropout(), [torch.zeros(1, 9)], ["aten.dropout.default"], ""),
        "fft": Broken(Spectrum(), [torch.zeros(1, 16)], ["aten.fft_rfft.default"], ""),
        "cumsum_in_sequential": Broken(chain, [torch.zeros(1, 9)], ["aten.cumsum.default"], "2.1"),
        "runtime_weight": Broken(WeightFromOutside(), [torch.zeros(1, 9), torch.zeros(3, 5)], ["aten.linear.default"], ""),
        "topk": Broken(Best(), [torch.zeros(1, 9)], ["aten.topk.default"], ""),
        "several": Broken(Several(), [torch.zeros(1, 9)], ["aten.cumsum.default", "aten.sort.default"], ""),
    }
