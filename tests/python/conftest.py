# SPDX-License-Identifier: Apache-2.0
"""What several Python tests share: the built `corten`, the reference data, and networks exported for the run."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests" / "models"
BUILD = pathlib.Path(os.environ.get("CORTEN_BUILD", ROOT / "build" / "release"))


def need(path):
    """Skips when `path` is missing; under CI=true, where it must be there, fails."""
    if not path.exists():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"missing: {path}")
    return path


@pytest.fixture(scope="session")
def corten():
    """Path of the program."""
    return need(BUILD / "corten")


@pytest.fixture(scope="session")
def shared():
    """Folder of the reference data."""
    return need(pathlib.Path(os.environ.get("CORTEN_SHARED", ROOT.parent / "shared")))


def exported(script, modules, index):
    """(folder, index) of what `script` exports; again only when a source or PyTorch is another."""
    import torch

    folder = ROOT / "build" / script.removeprefix("make_").removesuffix(".py")
    key = hashlib.sha256(torch.__version__.encode() + b"".join((MODELS / name).read_bytes() for name in (script, modules))).hexdigest()
    stamp = folder / "key"
    if not stamp.exists() or stamp.read_text() != key:
        subprocess.run([sys.executable, MODELS / script, folder], check=True, capture_output=True)
        stamp.write_text(key)
    return folder, json.loads((folder / index).read_text())


@pytest.fixture(scope="session")
def networks():
    """(folder, {name: file names}) of tests/models/make_networks.py."""
    return exported("make_networks.py", "networks.py", "networks.json")


@pytest.fixture(scope="session")
def broken():
    """(folder, {name: files and expectations}) of tests/models/make_broken.py."""
    return exported("make_broken.py", "broken_networks.py", "expectations.json")
