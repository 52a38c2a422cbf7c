# SPDX-License-Identifier: Apache-2.0
"""The table of docs/executorch.md: executorch_table.py writes it, test_executorch_parameters.py checks it."""
import json
import pathlib
import tempfile

import corten_program
import executorch_parameters as parameters

DOCUMENT = corten_program.ROOT / "docs" / "executorch.md"
BEGIN, END = "<!-- begin of the generated table -->\n", "<!-- end of the generated table -->\n"

# The number of the reason in the document, and the cases that differ for it.
REASONS = {
    1: ["add_scalar", "mul_scalar", "n_add_scalar", "n_rsub_scalar", "rsub_scalar", "slice", "view"],
    2: ["conv1d", "conv2d_contiguous", "conv2d_padding_same_str"],
    3: ["cat_relu_late"],
    4: ["conv2d_same_pad"],
    5: ["hardsigmoid_linear", "se_hard"],
    6: ["hardswish_conv", "hardswish_linear", "mobilenet_v3_like"],
    7: ["mean_hw", "resnet8"],
    8: ["adaptive_avg_pool_n", "n_adaptive_avg_pool_n", "sensor_cnn"],
    9: ["n_softmax_dim1", "softmax_dim1", "softmax_dim1_cl"],
    10: ["softmax_last", "softmax_wide"],
    11: ["n_cat_requant", "n_matmul_const", "pcl_axis1", "pcl_wrong_scale_count"],
    12: ["bmm", "bmm_const", "conv_transpose_outpad", "conv_transpose_pad", "conv_transpose_s2", "embedding", "gru", "layer_norm", "lstm", "matmul_4d",
         "n_conv_transpose_outpad", "n_layer_norm", "n_upsample_nearest", "sdpa", "upsample_nearest"],
    13: ["linear_dynamic_weight", "linear_matmul_const"],
}


def reason_of(name):
    return next((number for number, names in REASONS.items() if name in names), None)


def row(case, entry):
    about = json.loads((case / "case.json").read_text())
    reason = f", reason {reason_of(case.name)}" if reason_of(case.name) else ""
    return f"| {case.name} | {about['quantizer']} | {entry}{reason} |\n"


def table(folder):
    entries = {case: parameters.verdict(case, folder)[0] for case in parameters.folders()}
    same, close = (sum(entry.startswith(words) for entry in entries.values()) for words in ("identical", "identical up"))
    counts = f"{same - close} cases are identical, {close} up to the last bits of scales, {len(entries) - same} differ for a reason above.\n\n"
    return counts + "| case | quantizer | parameters |\n|---|---|---|\n" + "".join(row(case, entry) for case, entry in entries.items())


def written_table():
    text = DOCUMENT.read_text()
    return text[text.index(BEGIN) + len(BEGIN) : text.index(END)]


def main():
    text = DOCUMENT.read_text()
    with tempfile.TemporaryDirectory() as folder:
        new = table(pathlib.Path(folder))
    DOCUMENT.write_text(text[: text.index(BEGIN) + len(BEGIN)] + new + text[text.index(END) :])


if __name__ == "__main__":
    main()
