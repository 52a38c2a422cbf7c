# SPDX-License-Identifier: Apache-2.0
"""Replays the transcripts of tests/errors: commands, what they say on standard error, how they exit, what they leave behind.

CORTEN_BLESS=1 writes what the commands say instead.
"""
import os
import shlex
import shutil
import subprocess

import numpy
import pytest

from conftest import ROOT

TRANSCRIPTS = ROOT / "tests" / "errors"
EXAMPLE = ROOT / "examples" / "digits"


def cases():
    """(transcript, command, expected text) of every command."""
    for path in sorted(TRANSCRIPTS.glob("*.txt")):
        for part in path.read_text().split("\n$ ")[1:]:
            command, expected = part.split("\n", 1)
            yield path.name, command, expected.strip() + "\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = tmp_path_factory.mktemp("errors")
    for name in ("digits_mlp.pt2", "calibration.npy"):
        shutil.copy(EXAMPLE / name, folder)
    samples = numpy.load(EXAMPLE / "calibration.npy")
    numpy.save(folder / "calibration.npy", samples[:8])
    numpy.save(folder / "shape.npy", numpy.zeros((3, 1, 7, 7), numpy.float32))
    numpy.save(folder / "empty.npy", samples[:0])
    numpy.save(folder / "nan.npy", numpy.where(numpy.arange(8).reshape(8, 1, 1, 1) == 3, numpy.nan, samples[:8]).astype(numpy.float32))
    (folder / "100.bin").write_bytes(bytes(100))
    for name in ("model.onnx", "model.pte", "model.tflite", "words.pt2", "words.cir"):
        (folder / name).write_text("not a graph")
    for name in ("folder", "folder.pt2"):
        (folder / name).mkdir()
    (folder / "key.json").write_text('[{"set_globl": "INT8_PER_TENSOR"}]')
    (folder / "syntax.json").write_text('[{"set_global"')
    (folder / "float.json").write_text('[{"set_node_name": "linear", "config": null}]')
    return folder


def contents(folder):
    return {path.relative_to(folder): path.stat().st_size for path in folder.rglob("*")}


def transcript(corten, command, folder):
    done = subprocess.run([corten, *shlex.split(command)[1:]], cwd=folder, capture_output=True, text=True, timeout=120)
    return f"{done.stderr}exit {done.returncode}\n"


def bless(name, command, expected, found):
    path = TRANSCRIPTS / name
    path.write_text(path.read_text().replace(f"$ {command}\n{expected}", f"$ {command}\n{found}"))


@pytest.mark.parametrize("name, command, expected", cases(), ids=lambda value: value if isinstance(value, str) and value.startswith("corten") else "")
def test_transcript(corten, workspace, name, command, expected):
    before = contents(workspace)
    found = transcript(corten, command, workspace)
    assert contents(workspace) == before, "something was left behind"
    if found != expected and os.environ.get("CORTEN_BLESS"):
        return bless(name, command, expected, found)
    assert found == expected


MEANING = ("--calibrate", "--quantize", "--rounding", "--io", "--io-layout", "--name", "--allow-float", "--print-changed", "--error-format")
LAYOUT = ("--keep-input", "--keep-intermediates", "--no-fuse", "--no-shrink")
OPTIONS = {
    "compile": ("--core", "-o", "--stop-after", *MEANING, *LAYOUT),
    "simulate": ("--core", "--input", "--output", "--json", "--dump", *MEANING, *LAYOUT),
    "run": ("--input", "--output", "--stage", "--dump", *MEANING),
    "verify": ("--core", "--input", "--random", *MEANING, *LAYOUT),
    "quantize": ("-o", *MEANING),
    "inspect": ("--stage", "--table", *MEANING),
    "trace": ("NAME", *MEANING),
    "ops": (),
}


@pytest.mark.parametrize("command", OPTIONS)
def test_help_mentions_every_option(corten, command):
    done = subprocess.run([corten, command, "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert [option for option in OPTIONS[command] if option not in done.stdout] == []


def test_help_lists_every_command(corten):
    done = subprocess.run([corten, "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    assert [command for command in OPTIONS if f"\n  {command} " not in done.stdout] == []


def test_success_exits_with_0_and_says_nothing(corten, workspace, tmp_path):
    done = subprocess.run([corten, "compile", "digits_mlp.pt2", "--calibrate", "calibration.npy", "-o", tmp_path / "out"], cwd=workspace, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["CMakeLists.txt", "corten", "digits_mlp.cpp", "digits_mlp.h", "digits_mlp.json", "digits_mlp_weights.cpp"]
    assert not (tmp_path / "out.partial").exists()


def test_a_program_that_is_there_survives_a_failure(corten, workspace, tmp_path):
    def compile_with(*options):
        return subprocess.run([corten, "compile", "digits_mlp.pt2", *options, "-o", tmp_path / "out"], cwd=workspace, capture_output=True).returncode

    assert compile_with("--calibrate", "calibration.npy") == 0
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert compile_with("--calibrate", "nan.npy") == 1
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before
