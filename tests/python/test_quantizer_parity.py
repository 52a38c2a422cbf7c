# SPDX-License-Identifier: Apache-2.0
"""Corten and torchao, given the same float model and samples, choose the same scales, zero points, weights and biases.

PyTorch's layers add float32 in an order of their own, so that values are off from the exact ones in the last bit, and
with them the ranges that are observed. Nothing may differ where all arithmetic is exact (weights and inputs are small
multiples of 1/8), or where PyTorch computes each operator in double and rounds once, as Corten's interpreter does. Where
it computes as it likes, scales may differ by their last bits, or by the bin of the histogram where its range is cut.
"""
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchao.quantization.pt2e.quantize_pt2e")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e  # noqa: E402

import corten_program  # noqa: E402
import executorch_parameters as parameters  # noqa: E402
from annotating_quantizer import AnnotatingQuantizer  # noqa: E402
from graph_text import GraphText  # noqa: E402

torch.set_num_threads(1)
SAMPLES = 12
EPSILON = 2.0**-10
BINS = 2048  # of a histogram


def eighths(generator, shape, largest):
    return torch.randint(-8 * largest, 8 * largest + 1, shape, generator=generator) / 8


def make_exact(module, seed):
    """Parameters that are multiples of 1/8, and batch norms whose standard deviation is 1."""
    generator = torch.Generator().manual_seed(seed)
    for layer in module.modules():
        if isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d)):
            layer.eps = EPSILON
            layer.running_var.fill_(1 - EPSILON)
            layer.running_mean.copy_(eighths(generator, layer.running_mean.shape, 1))
            layer.weight.data = 2.0 ** torch.randint(-1, 2, layer.weight.shape, generator=generator)
            layer.bias.data = eighths(generator, layer.bias.shape, 1)
        elif isinstance(layer, (nn.Conv1d, nn.Conv2d, nn.Linear)):
            layer.weight.data = eighths(generator, layer.weight.shape, 1)
            if layer.bias is not None:
                layer.bias.data = eighths(generator, layer.bias.shape, 1)
    return module


def convolution(inputs, outputs, kernel, **options):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, bias=False, **options), nn.BatchNorm2d(outputs))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.depthwise, self.point = convolution(3, 6, 3, padding=1), convolution(6, 6, 3, stride=2, padding=1, groups=6), convolution(6, 5, 1)
        self.grouped = nn.Conv2d(5, 10, 3, groups=5, dilation=2)

    def forward(self, x):
        return self.grouped(self.point(F.relu6(self.depthwise(F.relu(self.stem(x))))))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.head = convolution(3, 3, 3, padding=1), convolution(3, 3, 3, padding=1), nn.Linear(3, 4)

    def forward(self, x):
        x = F.relu(x + self.two(F.relu(self.one(x))))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Branches(nn.Module):
    """Branches of different ranges, concatenated; pools behind."""

    def __init__(self):
        super().__init__()
        self.one, self.three = nn.Conv2d(3, 4, 1), nn.Conv2d(3, 4, 3, padding=1)
        self.register_buffer("quarter", torch.tensor([0.25]))

    def forward(self, x):
        x = torch.cat([F.relu(self.one(x)), self.three(x) * self.quarter, F.max_pool2d(x, 3, 1, 1)], 1)
        return F.avg_pool2d(F.max_pool2d(x, 2), 2)


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two, self.three = nn.Linear(12, 9), nn.Linear(9, 7, bias=False), nn.Linear(7, 5)

    def forward(self, x):
        return F.softmax(self.three(F.hardtanh(self.two(F.relu(self.one(x))), -2, 3)), -1)


class Arithmetic(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)
        self.register_buffer("factor", torch.tensor([0.5, 2.0, -1.0, 0.25, 1.0, -0.5, 4.0, 1.5]))

    def forward(self, x, y):
        a, b = self.a(x), self.b(y)
        return F.relu(a * self.factor - b), torch.maximum(a, b), F.leaky_relu(a + x, 0.125)


class Movement(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(4, 6, 3), nn.Linear(6, 3)

    def forward(self, x):
        x = F.pad(x, (1, 0, 0, 1), value=1.0).clamp(-1.5, 1.5)
        first, second = torch.split(self.conv(x), 3, 1)
        x = torch.cat([second, first], 1)[:, :, 1:]
        return self.head(x.permute(0, 2, 3, 1))


class Line(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm, self.conv2, self.head = nn.Conv1d(3, 6, 3, padding=1), nn.BatchNorm1d(6), nn.Conv1d(6, 4, 2, stride=2), nn.Linear(16, 3)

    def forward(self, x):
        x = F.max_pool1d(F.relu(self.norm(self.conv1(x))), 2)
        return self.head(F.relu(self.conv2(x)).flatten(1))


class Means(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 8, 1), nn.Linear(8, 4)

    def forward(self, x):
        return self.head(F.relu(self.conv(x)).mean((2, 3)))


EXACT = {
    "convolutions": (Convolutions, [(1, 3, 12, 12)]),
    "residual": (Residual, [(1, 3, 8, 8)]),
    "branches": (Branches, [(1, 3, 8, 8)]),
    "perceptron": (Perceptron, [(1, 12)]),
    "arithmetic": (Arithmetic, [(1, 8), (1, 8)]),
    "movement": (Movement, [(1, 4, 6, 6)]),
    "means": (Means, [(1, 3, 8, 8)]),
    "line": (Line, [(1, 3, 16)]),
}


def exact_samples(shapes, seed):
    generator = torch.Generator().manual_seed(seed)
    return [[eighths(generator, shape, 2) for shape in shapes] for _ in range(SAMPLES)]


class RoundedOnce(torch.fx.Interpreter):
    """Computes every operator in double and rounds its result to float32."""

    def call_function(self, target, args, kwargs):
        to_double = lambda x: x.double() if isinstance(x, torch.Tensor) and x.dtype == torch.float32 else x  # noqa: E731
        to_float = lambda x: x.float() if isinstance(x, torch.Tensor) and x.dtype == torch.float64 else x  # noqa: E731
        args, kwargs = torch.utils._pytree.tree_map(to_double, (args, kwargs))
        return torch.utils._pytree.tree_map(to_float, super().call_function(target, args, kwargs))


def torchao_parameters(program, samples, rounded_once=False):
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        prepared = prepare_pt2e(program.module(), AnnotatingQuantizer())
        for sample in samples:
            RoundedOnce(prepared).run(*sample) if rounded_once else prepared(*sample)
        return parameters.Quantized.from_module(convert_pt2e(prepared))


def corten_parameters(program, samples, folder):
    files = [folder / f"calibration_{i}.npy" for i in range(len(samples[0]))]
    for path, column in zip(files, zip(*samples)):
        np.save(path, torch.stack(column).numpy())
    torch.export.save(program, folder / "model.pt2")
    corten_program.run("quantize", folder / "model.pt2", "--calibrate", corten_program.joined(files), "-o", folder / "model.cir")
    return GraphText(folder / "model.cir")


def differences(module, samples, folder):
    program = torch.export.export(module.eval(), tuple(samples[0]))
    theirs, mine = torchao_parameters(program, samples), corten_parameters(program, samples, folder)
    assert len(theirs.grids()) + len(theirs.constants()) > 3
    return parameters.compare(theirs, mine)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", EXACT)
def test_exact_arithmetic(name, seed, tmp_path):
    make, shapes = EXACT[name]
    assert differences(make_exact(make(), seed), exact_samples(shapes, seed + 100), tmp_path) == []


class Functions(nn.Module):
    """Functions that no float32 holds exactly, and normal convolutions."""

    def __init__(self):
        super().__init__()
        self.convolutions = nn.ModuleList([nn.Conv2d(3, 3, 3, padding=1) for _ in range(6)])

    def forward(self, x):
        functions = [torch.sigmoid, torch.tanh, F.silu, F.gelu, F.hardswish, F.elu]
        for layer, function in zip(self.convolutions, functions):
            x = function(layer(x))
        return F.softmax(x, 1)


def trained_networks():
    """(name, program, samples)"""
    example = corten_program.ROOT / "examples" / "digits"
    images = [[image.reshape(1, 1, 8, 8)] for image in torch.from_numpy(np.load(example / "calibration.npy"))]
    for name in ("digits_cnn", "digits_mlp"):
        yield name, torch.export.load(example / f"{name}.pt2"), images
    torch.manual_seed(3)
    samples = [[torch.randn(1, 3, 8, 8)] for _ in range(SAMPLES)]
    yield "functions", torch.export.export(Functions().eval(), tuple(samples[0])), samples


@pytest.fixture(scope="module", params=trained_networks(), ids=lambda network: network[0])
def inexact(request, tmp_path_factory):
    """(program, samples, Corten's parameters)"""
    name, program, samples = request.param
    return program, samples, corten_parameters(program, samples, tmp_path_factory.mktemp(name))


def test_arithmetic_rounded_once(inexact):
    program, samples, mine = inexact
    assert parameters.compare(torchao_parameters(program, samples, rounded_once=True), mine) == []


def test_arithmetic_of_pytorch(inexact):
    program, samples, mine = inexact
    theirs = torchao_parameters(program, samples)
    found = parameters.compare(theirs, mine)
    compared = len(theirs.grids()) + len(theirs.constants())
    print(f"{compared - len(found)} of {compared} quantized tensors are equal in every bit, {sum(d.rounding for d in found)} up to rounding")
    assert [difference.text for difference in found if difference.scales_apart > 2 / BINS] == []
    assert not [difference for difference in found if "input 1" in difference.text]  # weights
