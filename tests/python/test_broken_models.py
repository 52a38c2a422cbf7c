# SPDX-License-Identifier: Apache-2.0
"""`corten compile` on models it can't compile: node, module path and source line, status 1, and nothing left behind."""
import json

import pytest

pytest.importorskip("torch")

import corten_program  # noqa: E402

from broken_networks import broken_networks  # noqa: E402

NAMES = list(broken_networks())


@pytest.fixture(params=NAMES)
def model(request, broken):
    folder, expectations = broken
    return folder, expectations[request.param]


def compile_model(model, output, *options):
    folder, expected = model
    calibration = folder / expected["calibration"]
    return corten_program.run("compile", folder / expected["model"], "--calibrate", calibration, "-o", output, *options, expect=1)


def test_enough_models():
    assert len(NAMES) >= 10


def test_names_the_place(model, tmp_path):
    process = compile_model(model, tmp_path / "out")
    _, expected = model
    assert process.stdout == ""
    for node, target in zip(expected["nodes"], expected["targets"]):
        assert f"  at {node} ({target})" in process.stderr
    if expected["module"]:
        assert f"({expected['targets'][0]}), module {expected['module']}\n" in process.stderr
    assert f"  from {expected['source']}" in process.stderr
    assert list(tmp_path.iterdir()) == []


def test_leaves_an_earlier_program_alone(model, tmp_path):
    earlier = tmp_path / "out" / "earlier.h"
    earlier.parent.mkdir()
    earlier.write_text("kept\n")
    compile_model(model, tmp_path / "out")
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()] == [earlier.relative_to(tmp_path)]


def test_as_json(model, tmp_path):
    diagnostics = json.loads(compile_model(model, tmp_path / "out", "--error-format", "json").stderr)
    _, expected = model
    found = [(d["severity"], d["node"], d["target"]) for d in diagnostics]
    assert [("error", *place) for place in zip(expected["nodes"], expected["targets"])] == found
    assert diagnostics[0]["module"] == expected["module"]
    assert diagnostics[0]["source"].startswith(expected["source"])
    assert all(d["message"] for d in diagnostics)
