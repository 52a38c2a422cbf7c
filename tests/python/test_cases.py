# SPDX-License-Identifier: Apache-2.0
"""Every case of the operator suite means in floats what PyTorch computes."""
import json
import os
import subprocess

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from conftest import BUILD, need  # noqa: E402


def tensor(described):
    """In the framework's order of axes; in doubles, so that PyTorch rounds nowhere on its way."""
    array = np.array(described["values"], dtype=np.float32).astype(np.float64).reshape(described["shape"])
    order = described["order"]
    return torch.from_numpy(np.transpose(array, np.argsort(order)).copy() if order else array)


def operator(target):
    found = torch.ops
    for part in target.split("."):
        found = getattr(found, part)
    return found


def argument(described, values):
    if isinstance(described, dict):
        return values[described["tensor"]]
    if isinstance(described, list):
        return [argument(item, values) for item in described]
    return described


def computed(case):
    values = {name: tensor(described) for name, described in case["values"].items()}
    for node in case["nodes"]:
        result = operator(node["target"])(**{name: argument(described, values) for name, described in node["arguments"].items()})
        values.update(zip(node["outputs"], result if isinstance(result, (list, tuple)) else [result]))
    return values


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    path = tmp_path_factory.mktemp("cases") / "cases.json"
    program = need(BUILD / "test_executors")
    subprocess.run([program, "--gtest_filter=cases.are_written_for_torch"], env=dict(os.environ, CORTEN_WRITE_CASES=str(path)), check=True, capture_output=True)
    return json.loads(path.read_text())


def test_floats_are_those_of_torch(cases):
    wrong = []
    for case in cases:
        values = computed(case)
        for name, described in case["outputs"].items():
            expected, actual = values[name].numpy(), tensor(described).numpy()
            close = expected.shape == actual.shape and np.allclose(actual, expected, rtol=0, atol=1e-5 * np.abs(expected).max(initial=1e-30))
            if not close:
                wrong.append(f"{case['name']}: {name} {actual.shape}, expected {expected.shape}")
    assert not wrong, "\n".join(wrong)
    assert len(cases) > 500
