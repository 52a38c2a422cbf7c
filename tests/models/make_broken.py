# SPDX-License-Identifier: Apache-2.0
"""Exports the networks of broken_networks.py: make_broken.py FOLDER

Writes NAME.pt2, calibration samples NAME_calibration.npy (.npz by name for several inputs), and expectations.json:
per name the files, and `nodes`, the node names to be named, with target, module path and source line ("" = the file records none).
"""
import argparse
import json
import pathlib

import numpy as np
import torch

import broken_networks


def marked_lines():
    """{name: line number} of the comments `# broken: name`."""
    lines = pathlib.Path(broken_networks.__file__).read_text().splitlines()
    return {line.split("# broken: ")[1]: number for number, line in enumerate(lines, 1) if "  # broken: " in line}


def expected_nodes(program, broken):
    nodes = []
    for target in broken.targets:
        found = [n.name for n in program.graph.nodes if n.op == "call_function" and str(n.target) == target]
        assert found, f"no {target} in\n{program}"
        nodes.append(found[-1])
    return nodes


def save_calibration(folder, name, program, inputs):
    names = program.graph_signature.user_inputs
    if len(names) == 1:
        np.save(folder / f"{name}_calibration.npy", inputs[0].numpy())
        return f"{name}_calibration.npy"
    np.savez(folder / f"{name}_calibration.npz", **{n: tensor[None].numpy() for n, tensor in zip(names, inputs)})
    return f"{name}_calibration.npz"


def export(name, broken, folder, line):
    broken.module.train(broken.training)
    program = torch.export.export(broken.module, tuple(broken.inputs))
    torch.export.save(program, folder / f"{name}.pt2")
    source = f"{pathlib.Path(broken_networks.__file__).name}:{line} in forward" if line else ""
    return {"model": f"{name}.pt2", "calibration": save_calibration(folder, name, program, broken.inputs),
            "nodes": expected_nodes(program, broken), "targets": broken.targets, "module": broken.path, "source": source}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=pathlib.Path)
    folder = options.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    lines = marked_lines()
    expectations = {name: export(name, broken, folder, lines.get(name)) for name, broken in broken_networks.broken_networks().items()}
    (folder / "expectations.json").write_text(json.dumps(expectations, indent=1) + "\n")


if __name__ == "__main__":
    main()
