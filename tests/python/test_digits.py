# SPDX-License-Identifier: Apache-2.0
"""The digits example: accuracy before and after quantization, and the same bytes for every image wherever it runs."""
import numpy as np
import pytest

import corten_program

EXAMPLE = corten_program.ROOT / "examples" / "digits"
IMAGES, LABELS = EXAMPLE / "test_images.npy", EXAMPLE / "test_labels.npy"
CLASSES = 10
CORES = ["cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55"]
MODELS = ["digits_cnn", "digits_mlp"]


def accuracy(scores):
    return 100 * np.mean(np.argmax(scores.reshape(-1, CLASSES), 1) == np.load(LABELS))


def run(command, model, output, *options):
    corten_program.run(command, EXAMPLE / f"{model}.pt2", "--calibrate", EXAMPLE / "calibration.npy", "--input", IMAGES, "--output", output, *options)
    return output


@pytest.fixture(scope="module", params=MODELS)
def reference(request, tmp_path_factory):
    """(model, file of the integer interpreter's scores)"""
    folder = tmp_path_factory.mktemp(request.param)
    return request.param, run("run", request.param, folder / "integer.bin", "--stage", "integer")


def float_scores(model, folder):
    return np.load(run("run", model, folder / "float.npy", "--stage", "imported"))


def test_float_accuracy(tmp_path):
    assert accuracy(float_scores("digits_cnn", tmp_path)) >= 97.5


def test_int8_accuracy(reference, tmp_path):
    model, file = reference
    int8 = accuracy(np.fromfile(file, np.int8))
    assert abs(int8 - accuracy(float_scores(model, tmp_path))) <= 0.6


def test_float_scores_are_those_of_pytorch(reference, tmp_path):
    torch = pytest.importorskip("torch")
    model = reference[0]
    torch.set_num_threads(1)
    module = torch.export.load(EXAMPLE / f"{model}.pt2").module()
    images = torch.from_numpy(np.load(IMAGES))
    with torch.no_grad():
        expected = np.stack([module(image.reshape(1, 1, 8, 8)).numpy() for image in images])
    np.testing.assert_allclose(float_scores(model, tmp_path), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("core", CORES)
def test_simulated_core_gives_the_same_bytes(reference, core, tmp_path):
    model, file = reference
    scores = run("simulate", model, tmp_path / "core.bin", "--core", core).read_bytes()
    assert len(scores) == 360 * CLASSES
    assert scores == file.read_bytes()


def test_host_build_gives_the_same_bytes(reference, tmp_path):
    model, file = reference
    assert run("simulate", model, tmp_path / "host.bin", "--core", "host").read_bytes() == file.read_bytes()


def test_single_rounding_gives_the_same_bytes_too(tmp_path):
    single = ["--rounding", "single"]
    expected = run("run", "digits_cnn", tmp_path / "integer.bin", "--stage", "integer", *single).read_bytes()
    for core in ("cortex-m0", "cortex-m4", "cortex-m55"):
        assert run("simulate", "digits_cnn", tmp_path / f"{core}.bin", "--core", core, *single).read_bytes() == expected
