# SPDX-License-Identifier: Apache-2.0
"""Codes, reals and folded batch norms have the bits of PyTorch's own operators."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchao.quantization.pt2e.quantize_pt2e")  # registers quantized_decomposed

from numerics_program import Numerics  # noqa: E402

GRIDS = [(0.1, 3, -128, 127), (0.02, 0, -127, 127), (1.0, -128, -128, 127), (3.7e-5, 12, -128, 127), (0.5, 128, 0, 255)]


@pytest.fixture(scope="module")
def numerics():
    program = Numerics()
    yield program
    program.close()


def inputs(scale, seed=0):
    """Random reals, exact halves of a step and their neighbors."""
    random = np.random.default_rng(seed)
    halves = (np.arange(-300, 300, dtype=np.float32) * np.float32(0.5) * np.float32(scale)).astype(np.float32)
    near = [np.nextafter(halves, np.float32(end)) for end in (-np.inf, np.inf)]
    return np.concatenate([(random.normal(size=20000) * 100 * scale).astype(np.float32), halves, *near, [np.inf, -np.inf, 0]])


@pytest.mark.parametrize("grid", GRIDS)
def test_quantize_per_tensor(numerics, grid):
    scale, zero_point, low, high = float(np.float32(grid[0])), *grid[1:]
    dtype = torch.uint8 if high == 255 else torch.int8
    x = inputs(scale)
    expected = torch.ops.quantized_decomposed.quantize_per_tensor(torch.from_numpy(x.astype(np.float32)), scale, zero_point, low, high, dtype)
    np.testing.assert_array_equal(numerics.codes(x, scale, zero_point, low, high), expected.numpy())


@pytest.mark.parametrize("grid", GRIDS)
def test_dequantize_per_tensor(numerics, grid):
    scale, zero_point, low, high = float(np.float32(grid[0])), *grid[1:]
    dtype = torch.uint8 if high == 255 else torch.int8
    codes = np.arange(low, high + 1)
    expected = torch.ops.quantized_decomposed.dequantize_per_tensor(torch.from_numpy(codes).to(dtype), scale, zero_point, low, high, dtype)
    np.testing.assert_array_equal(numerics.reals(codes, scale, zero_point), expected.numpy())


@pytest.mark.parametrize("input_scale, weight_scale", [(0.0243, 0.00748), (0.5, 0.25), (1e-4, 1e-5), (7.0, 3.0)])
def test_bias(numerics, input_scale, weight_scale):
    scale = (torch.tensor(input_scale) * torch.tensor(weight_scale)).reshape(1)
    x = inputs(scale.item(), seed=1).astype(np.float32)
    expected = torch.ops.quantized_decomposed.quantize_per_channel(
        torch.from_numpy(x).reshape(1, -1), scale, torch.zeros(1, dtype=torch.int64), 0, -(2**31), 2**31 - 2, torch.int32)
    finite = np.isfinite(x)
    np.testing.assert_array_equal(numerics.bias(x, input_scale, weight_scale)[finite], expected.numpy()[0][finite])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["convolution", "transposed", "linear"])
def test_folded_batch_norm(numerics, kind, seed):
    random = np.random.default_rng(seed)
    rank, axis = (2, 0) if kind == "linear" else (4, 1 if kind == "transposed" else 0)
    weights = random.normal(size=random.integers(1, 7, size=rank)).astype(np.float32)
    channels = weights.shape[axis]
    bias, gamma, beta, mean = (random.normal(size=channels).astype(np.float32) for _ in range(4))
    variance = random.uniform(1e-6, 5, size=channels).astype(np.float32)
    bias = None if seed % 3 == 0 else bias
    epsilon = [1e-5, 1e-3][seed % 2]
    tensors = [None if t is None else torch.from_numpy(t) for t in (weights, bias, mean, variance)]
    rest = torch.from_numpy(gamma), torch.from_numpy(beta)
    if kind == "linear":
        fused = torch.nn.utils.fusion.fuse_linear_bn_weights(*tensors, epsilon, *rest)
    else:
        fused = torch.nn.utils.fusion.fuse_conv_bn_weights(*tensors, epsilon, *rest, transpose=kind == "transposed")
    mine = numerics.fold(weights, bias, gamma, beta, mean, variance, epsilon, axis, kind == "linear")
    for expected, found in zip(fused, mine):
        np.testing.assert_array_equal(found, expected.detach().numpy())
