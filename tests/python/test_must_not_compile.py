# SPDX-License-Identifier: Apache-2.0
"""Each file of tests/must_not_compile compiles as it is, and with CORTEN_WRONG fails for the reason it names."""
import os
import re
import subprocess

import pytest

from conftest import ROOT

CASES = ROOT / "tests" / "must_not_compile"
STANDARD = {"runtime": "c++17", "host": "c++20"}


def compile_case(path, *options):
    """(status, what the compiler said)."""
    done = subprocess.run(["g++", f"-std={STANDARD[path.parent.name]}", "-fsyntax-only", "-Wall", "-Werror=unused-result", f"-I{ROOT}", f"-I{ROOT / 'include'}",
                           f"-I{ROOT / 'runtime' / 'include'}", *options, path], capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    return done.returncode, done.stderr


@pytest.mark.parametrize("path", sorted(CASES.glob("*/*.cpp")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path):
    expected = re.search(r"^// ERROR: (.+)$", path.read_text(), re.MULTILINE).group(1)
    status, said = compile_case(path)
    assert status == 0, said
    status, said = compile_case(path, "-DCORTEN_WRONG")
    errors = [line for line in said.splitlines() if "error: " in line]
    assert status != 0, "it compiles"
    assert any(re.search(expected, line) for line in errors), said
