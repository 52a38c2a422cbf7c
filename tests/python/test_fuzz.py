# SPDX-License-Identifier: Apache-2.0
"""Ten seconds of fuzzing for each reader, where clang is installed; `make nightly` fuzzes longer."""
import shutil
import subprocess

import pytest

from conftest import ROOT

FUZZ = ROOT / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"


@pytest.fixture(scope="module")
def fuzzers():
    """Folder of the built programs."""
    if not shutil.which("clang++"):
        pytest.skip("clang++ is not installed")
    done = subprocess.run([ROOT / "scripts" / "build.sh", "fuzz", "fuzzers"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return BUILD


@pytest.mark.parametrize("name", sorted(path.stem for path in FUZZ.glob("*_fuzzer.cpp")))
def test_reader_survives(fuzzers, tmp_path, name):
    seeds = FUZZ / "corpus" / name.removesuffix("_fuzzer")
    folders = [tmp_path, seeds] if seeds.is_dir() else [tmp_path]
    done = subprocess.run([fuzzers / name, "-max_total_time=10", "-timeout=5", "-rss_limit_mb=2048", "-seed=1", f"-artifact_prefix={tmp_path}/", *folders],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
