# SPDX-License-Identifier: Apache-2.0
"""Whole networks: float as PyTorch, and every simulated core as the integer interpreter, byte for byte."""
import re

import numpy as np
import pytest

pytest.importorskip("torch")

import corten_program  # noqa: E402

from networks import NETWORKS  # noqa: E402

CORES = ["cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55"]
RANDOM = 20


@pytest.fixture(params=NETWORKS)
def network(request, networks):
    """(folder, file names)"""
    folder, index = networks
    return folder, index[request.param]


def arrays(path):
    loaded = np.load(path)
    return list(loaded.values()) if isinstance(loaded, np.lib.npyio.NpzFile) else [loaded]


def test_enough_networks():
    assert len(NETWORKS) >= 12


def test_float_outputs(network, tmp_path):
    folder, files = network
    expected = arrays(folder / files["output"])
    outputs = [tmp_path / f"{index}.npy" for index in range(len(expected))]
    corten_program.run("run", folder / files["model"], "--input", folder / files["input"], "--output", corten_program.joined(outputs),
                       "--stage", "imported", "--io-layout", "model")
    for path, array in zip(outputs, expected):
        found = np.load(path)
        np.testing.assert_allclose(found.reshape(array.shape), array, rtol=1e-5, atol=2e-6 * np.abs(array).max())


def test_every_core_is_exact(network):
    folder, files = network
    process = corten_program.run("verify", folder / files["model"], "--calibrate", folder / files["calibration"], "--core", "all", "--random", RANDOM)
    equal = re.findall(rf"^(cortex-\w+) +{RANDOM} of {RANDOM} inferences equal in every byte$", process.stdout, re.MULTILINE)
    assert sorted(equal) == sorted(CORES)
