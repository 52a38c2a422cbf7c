# SPDX-License-Identifier: Apache-2.0
"""Exports the networks of networks.py with fixed seeds: make_networks.py FOLDER [NAME...]

For each: NAME.pt2, and as .npy, or .npz by name for several ends, with samples on the first axis,
NAME_calibration, NAME_input and NAME_output (float outputs by PyTorch). networks.json lists the files.
"""
import argparse
import json
import pathlib
import zlib

import numpy as np
import torch
from torch import nn

from networks import NETWORKS

CALIBRATION_SAMPLES = 64
TEST_SAMPLES = 8


def randomize(module):
    """Makes fresh layers act like trained ones: strong weights, and batch norms that do something."""
    for layer in module.modules():
        if isinstance(layer, (nn.Conv1d, nn.Conv2d, nn.Linear)):
            layer.weight.data *= 2
        if isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d)):
            nn.init.uniform_(layer.weight, 0.5, 1.5)
            nn.init.normal_(layer.bias, 0.0, 0.3)
            layer.running_mean.normal_(0.0, 0.2)
            layer.running_var.uniform_(0.5, 1.5)


def samples(shapes, count):
    """One list of inputs per sample; a slowly varying offset makes ranges lopsided."""
    return [[torch.randn(shape) * 0.8 + 0.3 for shape in shapes] for _ in range(count)]


def save(folder, stem, names, rows):
    """File name of `rows` (a list of tensors per sample, each with a batch of one)."""
    columns = [torch.cat([tensor if tensor.shape[0] == 1 else tensor[None] for tensor in column]).numpy() for column in zip(*rows)]
    if len(names) == 1:
        np.save(folder / f"{stem}.npy", columns[0])
        return f"{stem}.npy"
    np.savez(folder / f"{stem}.npz", **dict(zip(names, columns)))
    return f"{stem}.npz"


def outputs_of(model, row):
    outputs = model(*row)
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def export(name, folder):
    torch.manual_seed(zlib.crc32(name.encode()))
    model, shapes = NETWORKS[name]()
    randomize(model)
    model.eval()
    calibration, inputs = samples(shapes, CALIBRATION_SAMPLES), samples(shapes, TEST_SAMPLES)
    program = torch.export.export(model, tuple(inputs[0]))
    torch.export.save(program, folder / f"{name}.pt2")
    signature = program.graph_signature
    with torch.no_grad():
        outputs = [outputs_of(model, row) for row in inputs]
    return {"model": f"{name}.pt2", "calibration": save(folder, f"{name}_calibration", signature.user_inputs, calibration),
            "input": save(folder, f"{name}_input", signature.user_inputs, inputs),
            "output": save(folder, f"{name}_output", signature.user_outputs, outputs)}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("names", nargs="*", metavar="NAME", default=list(NETWORKS))
    chosen = options.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    index = {name: export(name, chosen.folder) for name in chosen.names}
    (chosen.folder / "networks.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
