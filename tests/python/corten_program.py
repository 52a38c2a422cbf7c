# SPDX-License-Identifier: Apache-2.0
"""Runs the program `corten` of the build under test."""
import os
import pathlib
import subprocess

import numpy as np
import pytest

from conftest import BUILD, ROOT, need

SHARED = pathlib.Path(os.environ.get("CORTEN_SHARED", ROOT.parent / "shared"))
CORTEN = BUILD / "corten"
TIMEOUT_SECONDS = 300


def missing(what):
    """Skips the test, or fails it where CI says that everything must be there."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(what)


def shared_data(name):
    return need(SHARED / "data" / name)


def run(*arguments, expect=0):
    """The finished process of `corten ARGUMENTS`, whose exit status must be `expect` (None: any)."""
    process = subprocess.run([need(CORTEN), *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    command = " ".join(["corten", *map(str, arguments)])
    assert expect is None or process.returncode == expect, f"{command}\n{process.stdout}{process.stderr}"
    return process


def joined(paths):
    """Several files as one argument."""
    return ",".join(map(str, paths))


def run_model(model, inputs, outputs, folder, *options):
    """Arrays that `corten run` writes for the arrays `inputs`, each with samples on its first axis."""
    files = [folder / f"in_{index}.npy" for index in range(len(inputs))]
    for path, array in zip(files, inputs):
        np.save(path, np.ascontiguousarray(array))
    written = [folder / f"out_{index}.npy" for index in range(outputs)]
    run("run", model, "--input", joined(files), "--output", joined(written), *options)
    return [np.load(path) for path in written]
