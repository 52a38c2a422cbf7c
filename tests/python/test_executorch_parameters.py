# SPDX-License-Identifier: Apache-2.0
"""Corten's quantizer reproduces the parameters that ExecuTorch's chose for the PT2E cases, but for what is documented."""
import pytest

pytest.importorskip("torch")
pytest.importorskip("torchao.quantization.pt2e.quantize_pt2e")

import corten_program  # noqa: E402
import executorch_parameters as parameters  # noqa: E402
import executorch_table  # noqa: E402

CASES = parameters.folders()


@pytest.mark.parametrize("case", CASES or [None], ids=lambda case: case.name if case else "missing")
def test_parameters(case, tmp_path):
    if case is None:
        corten_program.shared_data("pt2e")
    entry, serious = parameters.verdict(case, tmp_path)
    if executorch_table.reason_of(case.name):
        assert serious, "no difference is left: strike it from docs/executorch.md"
    else:
        assert serious == []
    assert executorch_table.row(case, entry) in executorch_table.written_table(), "run tests/python/executorch_table.py"


def test_table_is_complete():
    if not CASES:
        corten_program.shared_data("pt2e")
    rows = [line for line in executorch_table.written_table().splitlines() if line.startswith("| ")][1:]
    listed = [line.split("|")[1].strip() for line in rows]
    assert listed == [case.name for case in CASES]
    assert len(listed) == 145


def test_reasons_are_explained():
    text = executorch_table.DOCUMENT.read_text()
    for number in executorch_table.REASONS:
        assert f"\n{number}. " in text
