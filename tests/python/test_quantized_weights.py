# SPDX-License-Identifier: Apache-2.0
"""Corten turns the float models of the PT2E cases into the int8 weights and int32 biases that torchao made of them."""
import functools
import os
import pathlib
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchao.quantization.pt2e.quantize_pt2e")

from numerics_program import ROOT, Numerics  # noqa: E402

DATA = pathlib.Path(os.environ.get("CORTEN_SHARED", ROOT.parent / "shared")) / "data" / "pt2e"
LAYERS = tuple(f"aten.{name}." for name in ("linear", "conv1d", "conv2d", "conv_transpose2d"))
# These always, all others at night.
WITH_LAYERS = """linear_bias linear_relu linear_chain n_linear_relu6 pcl_bias pcl_out1 pcl_wide_range conv2d_1x1
conv2d_bn conv2d_bn_relu conv2d_dw_m2 conv2d_groups2 conv2d_nobias conv_transpose_s2 n_conv1d_bn_relu n_conv_transpose_outpad
ds_cnn sensor_cnn""".split()
WITH_INPUTS = WITH_LAYERS + ["conv1d", "add_same", "mul", "sigmoid"]
REJECTED = {"pcl_axis1", "pcl_wrong_scale_count"}  # cases that an importer must refuse


@pytest.fixture(scope="module")
def numerics():
    program = Numerics()
    yield program
    program.close()


def with_nightly(chosen):
    found = sorted(p.parent.name for p in DATA.glob("*/qdq.pt2") if (p.parent / "float.pt2").exists())
    others = [name for name in found if name not in chosen and name not in REJECTED]
    return chosen + [pytest.param(name, marks=pytest.mark.nightly) for name in others]


@functools.lru_cache(maxsize=2)
def load(case, name):
    if not DATA.is_dir():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"reference data is missing: {DATA}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.load(DATA / case / name)


class Program:
    """An exported program with its tensors by node name."""

    def __init__(self, exported):
        self.nodes = [node for node in exported.graph.nodes if node.op == "call_function"]
        stored = {**exported.constants, **exported.state_dict}
        specs = exported.graph_signature.input_specs
        self.tensors = {spec.arg.name: stored[spec.target] for spec in specs if spec.target in stored}

    def tensor(self, node):
        return None if node is None else self.tensors.get(node.name)

    def layers(self):
        return [node for node in self.nodes if str(node.target).startswith(LAYERS)]


def argument(node, index):
    return node.args[index] if len(node.args) > index else None


def folded(numerics, program, layer):
    """Float weights and bias of a layer, with a batch norm that follows."""
    weights, bias = program.tensor(layer.args[1]), program.tensor(argument(layer, 2))
    if weights is None:
        return None, None
    weights = weights.detach().numpy()
    bias = None if bias is None else bias.detach().numpy()
    norms = [user for user in layer.users if "batch_norm" in str(user.target)]
    if not norms:
        return weights, bias
    gamma, beta, mean, variance = (program.tensor(norms[0].args[i]).detach().numpy() for i in range(1, 5))
    return numerics.fold(weights, bias, gamma, beta, mean, variance, norms[0].args[7], axis_of(layer))


def axis_of(layer):
    return 1 if "transpose" in str(layer.target) else 0


def dequantized(program, node):
    """Codes, scales, axis (None: per tensor) and lowest code of a constant behind a dequantize node."""
    if node is None or "dequantize_per" not in str(node.target):
        return None
    codes = program.tensor(node.args[0])
    if codes is None:
        return None
    if "per_channel" in str(node.target):
        return codes.numpy(), program.tensor(node.args[1]).numpy(), node.args[3], node.args[4]
    return codes.numpy(), np.array([node.args[1]]), None, node.args[3]


def check_weights(numerics, found, weights):
    codes, scales, axis, low = found
    kind = "minmax" if axis is None else "per_channel"
    chosen = numerics.observe(kind, [weights], True, low, axis=axis or 0, shape=weights.shape)
    assert [float(scale) for scale, _ in chosen] == [float(scale) for scale in scales]
    for channel, (scale, _) in enumerate(chosen):
        part = (lambda x: x) if axis is None else (lambda x: np.take(x, channel, axis))
        np.testing.assert_array_equal(numerics.codes(part(weights), scale, low=low), part(codes))
    return chosen


def check_bias(numerics, found, bias, input_scale, chosen):
    codes, scales, axis, _ = found
    expected = [float(np.float32(input_scale) * scale) for scale, _ in chosen]
    assert expected == [float(scale) for scale in scales]
    if axis is None:
        np.testing.assert_array_equal(numerics.bias(bias, input_scale, chosen[0][0]), codes)
        return
    mine = [numerics.bias(bias[c : c + 1], input_scale, scale)[0] for c, (scale, _) in enumerate(chosen)]
    np.testing.assert_array_equal(mine, codes)


@pytest.mark.parametrize("case", with_nightly(WITH_LAYERS))
def test_weights_and_biases(numerics, case):
    before, after = Program(load(case, "float.pt2")), Program(load(case, "qdq.pt2"))
    originals = {layer.name: layer for layer in before.layers()}
    checked = 0
    for layer in after.layers():
        weights_found, bias_found = dequantized(after, layer.args[1]), dequantized(after, argument(layer, 2))
        if weights_found is None or layer.name not in originals:
            continue
        weights, bias = folded(numerics, before, originals[layer.name])
        if weights is None:
            continue
        chosen = check_weights(numerics, weights_found, weights)
        checked += 1
        if bias_found is not None:
            check_bias(numerics, bias_found, bias, layer.args[0].args[1], chosen)
    if not checked:
        pytest.skip("no layer with constant weights")


@pytest.mark.parametrize("case", with_nightly(WITH_INPUTS))
def test_input_scale_from_calibration(numerics, case):
    """The first samples of the histogram: those at the graph's inputs, which no arithmetic precedes."""
    after = load(case, "qdq.pt2")
    names = [spec.arg.name for spec in after.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    files = ["calibration.npy"] + [f"calibration_{i}.npy" for i in range(1, len(names))]
    checked = 0
    for name, file in zip(names, files):
        users = next(node for node in after.graph.nodes if node.name == name).users
        quantizers = {user.args[1:3] for user in users if "quantize_per_tensor" in str(user.target)}
        path = DATA / case / file
        if len(quantizers) != 1 or not path.exists() or shares_its_scale(after, name):
            continue
        samples = np.load(path)
        if samples.dtype != np.float32:
            continue
        (scale, zero_point), = numerics.observe("histogram", list(samples))
        assert (float(scale), zero_point) == quantizers.pop()
        checked += 1
    if not checked:
        pytest.skip("no input with a histogram of its own")


def shares_its_scale(exported, name):
    """Whether another quantize node has the same parameters: then one observer saw both values."""
    all_of = [node for node in exported.graph.nodes if str(node.target).startswith("quantized_decomposed.quantize_per_tensor")]
    mine = {node.args[1:3] for node in all_of if node.args[0].name == name}
    return any(node.args[1:3] in mine for node in all_of if node.args[0].name != name)
