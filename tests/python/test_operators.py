# SPDX-License-Identifier: Apache-2.0
"""Every operator, as PyTorch exports it, computes what PyTorch computes: in float closely, in int8 within its steps."""
import zlib

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

import corten_program  # noqa: E402
from operator_cases import CASES  # noqa: E402

SAMPLES = 6
FLOAT = 1e-5
INT8_MEAN, INT8_LARGEST = 0.012, 0.06  # errors as fractions of an output's range; a step is 0.004
ON_INPUT_GRID = ("avg_pool", "adaptive_avg_pool")  # their steps are fractions of the input's range

# (what, words of the diagnostic)
REFUSED = {
    ("conv2d_unbatched", "exported"): "give the input a batch dimension",
    ("expand", "exported"): "repeats values that are not constant",
    ("expand", "decomposed"): "repeats values that are not constant",
    # PyTorch turns a linear on a permuted tensor into a product of two rank-3 tensors.
    ("conv_permute_linear", "decomposed"): "aten.bmm.default is not supported",
}


def as_list(outputs):
    return list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]


class Case:
    """A module, its samples, and what PyTorch makes of them."""

    def __init__(self, name):
        self.name = name
        self.module, self.shapes = CASES[name]
        self.module.eval()
        generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
        rows = [[torch.randn(shape, generator=generator) * 1.3 for shape in self.shapes] for _ in range(SAMPLES)]
        with torch.no_grad():
            results = [as_list(self.module(*[x.clone() for x in row])) for row in rows]
        self.inputs = [np.stack([x.numpy() for x in column]) for column in zip(*rows)]
        self.expected = [np.stack([y.numpy() for y in column]) for column in zip(*results)]
        self.program = torch.export.export(self.module, tuple(rows[0]))

    def run(self, model, folder, *options):
        return corten_program.run_model(model, self.inputs, len(self.expected), folder, "--io-layout", "model", *options)

    def check_float(self, model, folder):
        for found, expected in zip(self.run(model, folder, "--stage", "imported"), self.expected):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=FLOAT, atol=0.1 * FLOAT * np.abs(expected).max())

    def check_int8(self, model, folder):
        """Against float PyTorch, so only as close as int8 allows."""
        calibration = ["--calibrate", corten_program.joined(folder / f"in_{i}.npy" for i in range(len(self.inputs)))]
        for found, expected in zip(self.run(model, folder, "--stage", "integer", "--io", "float", *calibration), self.expected):
            assert found.shape == expected.shape
            error = np.abs(found - expected) / extent(self.inputs[0] if self.name.startswith(ON_INPUT_GRID) else expected)
            assert error.max() < INT8_LARGEST and error.mean() < INT8_MEAN

    def refused(self, model, spelling):
        words = REFUSED.get((self.name, spelling))
        if words:
            diagnostics = corten_program.run("inspect", model, expect=1).stderr
            assert words in diagnostics and "  at " in diagnostics
        return bool(words)


def extent(values):
    return max(values.max(), 0) - min(values.min(), 0)


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return Case(request.param)


def test_as_exported(case, tmp_path):
    model = tmp_path / "model.pt2"
    torch.export.save(case.program, model)
    if not case.refused(model, "exported"):
        case.check_float(model, tmp_path)
        case.check_int8(model, tmp_path)


def test_decomposed(case, tmp_path):
    model = tmp_path / "model.pt2"
    torch.export.save(case.program.run_decompositions(), model)
    if not case.refused(model, "decomposed"):
        case.check_float(model, tmp_path)
