# SPDX-License-Identifier: Apache-2.0
"""Compares the quantization that Corten chooses for the PT2E cases with the one in their qdq.pt2."""
import dataclasses
import json
import re
import warnings

import numpy as np
import torch
import torchao.quantization.pt2e.quantize_pt2e  # noqa: F401  registers quantized_decomposed

import corten_program
from graph_text import GraphText

ROUNDING = 1e-6  # relative
EXECUTORCH_QUANTIZERS = ("cortex_m", "explicit")  # the others were written for the cases
RENAMED = [("(adaptive_avg_pool2d|mean).*", "avg_pool2d.*"), ("rsub.*", "sub.*")]


@dataclasses.dataclass
class Difference:
    text: str
    scales_apart: float = float("inf")  # relative; infinite if more than scales differ

    @property
    def rounding(self):
        """Whether the order in which float32 sums are taken explains it."""
        return self.scales_apart <= ROUNDING


class Quantized:
    """The parameters in a graph of quantize and dequantize nodes."""

    def __init__(self, nodes, tensors):
        self.nodes = [node for node in nodes if node.op == "call_function"]
        self.tensors = tensors  # by the name of their node

    @classmethod
    def from_file(cls, path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exported = torch.export.load(path)
        stored = {**exported.constants, **exported.state_dict}
        return cls(exported.graph.nodes, {spec.arg.name: stored[spec.target] for spec in exported.graph_signature.input_specs if spec.target in stored})

    @classmethod
    def from_module(cls, module):
        return cls(module.graph.nodes, {node.name: getattr(module, node.target) for node in module.graph.nodes if node.op == "get_attr"})

    def grids(self):
        """{node or input name: {(scale, zero point)}} of every activation that passes a quantize."""
        found = {}
        for node in self.nodes:
            if "quantize_per_tensor" in str(node.target) and "dequantize" not in str(node.target):
                found.setdefault(node.args[0].name, set()).add((np.float32(node.args[1]), node.args[2]))
        return found

    def names(self):
        return {node.name for node in self.nodes}

    def operators(self):
        return [node for node in self.nodes if str(node.target).startswith("aten.")]

    def dequantized(self, node):
        """(codes, scales, zero points, axis) of the constant behind a dequantize, or None."""
        if not isinstance(node, torch.fx.Node) or "dequantize_per" not in str(node.target):
            return None
        codes = self.tensors.get(node.args[0].name)
        if codes is None:
            return None
        if "per_channel" in str(node.target):
            scales, zero_points = (self.tensors[node.args[i].name] for i in (1, 2))
            return codes.numpy(), list(scales.numpy().astype(np.float32)), zero_points.tolist(), node.args[3]
        return codes.numpy(), [np.float32(node.args[1])], [node.args[2]], -1

    def constants(self):
        """{(operator node, input index): dequantized constant}"""
        found = {(node.name, index): self.dequantized(argument) for node in self.operators() for index, argument in enumerate(node.args)}
        return {place: constant for place, constant in found.items() if constant}


def corten_constants(graph):
    """The same of Corten's graph."""
    found = {}
    for node in graph.nodes:
        if not node.origins or node.operator in ("quantize", "dequantize"):
            continue
        for index, value in enumerate(node.inputs):
            constant = graph.dequantized(value)
            if constant is not None:
                found[node.origins[0], index] = constant
    return found


def same_codes(theirs, mine):
    """Equal up to Corten's own order of weights: NHWC, and the rows of a linear behind a flattened image permuted."""
    if theirs.size != mine.size:
        return False
    if theirs.ndim < 2:
        return np.array_equal(theirs.ravel(), mine.ravel())
    rows = theirs.shape[0] if theirs.shape[0] == mine.shape[0] else 1
    return np.array_equal(np.sort(theirs.reshape(rows, -1), 1), np.sort(mine.reshape(rows, -1), 1))


def apart(theirs, mine):
    """The largest relative difference of scales in lists of (scale, zero point); infinite if the zero points differ."""
    theirs, mine = sorted(theirs), sorted(mine)
    if [zero_point for _, zero_point in theirs] != [zero_point for _, zero_point in mine]:
        return float("inf")
    return max(abs(float(a) / float(b) - 1) for (a, _), (b, _) in zip(theirs, mine))


def codes_follow(theirs, mine, scales_apart):
    """Whether codes differ by what the scales do, and by rounding to the next code."""
    theirs, mine = np.sort(theirs.ravel()).astype(float), np.sort(mine.ravel()).astype(float)
    return theirs.size == mine.size and bool(np.all(np.abs(theirs - mine) <= 1 + scales_apart * np.abs(theirs)))


def renamed(theirs, mine):
    """Corten's grids under the names ExecuTorch's rewrites give: a mean over an image is avg_pool2d, rsub is sub."""
    for pattern, target in RENAMED:
        spare = [name for name in mine if re.fullmatch(pattern, name) and name not in theirs]
        wanted = [name for name in theirs if re.fullmatch(target, name) and name not in mine]
        names = dict(zip(spare, wanted))
        mine = {names.get(name, name): grid for name, grid in mine.items()}
    return mine


def compare_grids(theirs, mine):
    mine = renamed(theirs, mine)
    everywhere = [set().union(*grids.values()) if grids else set() for grids in (theirs, mine)]
    for name in sorted({*theirs, *mine}):
        there, here = theirs.get(name), mine.get(name)
        if there is None or here is None:
            # A value that only one side has is no difference if it lies on a grid that the other has too.
            who, grids, others = ("Corten", here, everywhere[0]) if there is None else ("ExecuTorch", there, everywhere[1])
            if not all(any(apart([grid], [other]) <= 1e-3 for other in others) for grid in grids):
                yield Difference(f"{name} is quantized by {who} only")
        elif there != here:
            yield Difference(f"{name}: {text(there)}, Corten {text(here)}", apart(there, here))


def text(grids):
    return " and ".join(f"{scale:.7g} / {zero_point}" for scale, zero_point in sorted(grids))


def compare_constants(theirs, mine):
    for place in sorted({*theirs, *mine}):
        name = f"input {place[1]} of {place[0]}"
        if place not in mine or place not in theirs:
            yield Difference(f"{name} is quantized by {'Corten' if place in mine else 'ExecuTorch'} only")
            continue
        codes, scales, zero_points, _ = theirs[place]
        found = mine[place]
        scales_apart = apart(zip(scales, zero_points), zip(found.scales, found.zero_points)) if len(scales) == len(found.scales) else float("inf")
        if scales_apart:
            follow = np.isfinite(scales_apart) and codes_follow(codes, found.array, scales_apart)
            yield Difference(f"{name}: scale {scales[0]:.9g}, Corten {found.scales[0]:.9g}", scales_apart if follow else float("inf"))
        elif not same_codes(codes, found.array):
            yield Difference(f"{name}: other codes")


def calibration(case):
    first = case / "calibration.npy"
    others = sorted(case.glob("calibration_*.npy"), key=lambda path: int(path.stem.split("_")[1]))
    return corten_program.joined([first] * first.exists() + others)


def config(case):
    """What --quantize must say so that Corten is configured as the quantizer of the case was; None: the defaults."""
    if json.loads((case / "case.json").read_text())["quantizer"] in EXECUTORCH_QUANTIZERS:
        return None
    narrow = {"weights": "per_channel", "narrow": True}
    entries = [{"set_global": narrow}]
    if case.name == "pcl_mixed":
        entries.append({"set_node_name": "linear_1", "config": {"weights": "per_tensor", "narrow": True}})
    return json.dumps(entries)


def quantize(case, folder):
    """Corten's quantized graph of a case, or the diagnostics."""
    graph, options = folder / f"{case.name}.cir", []
    if config(case):
        (folder / f"{case.name}.json").write_text(config(case))
        options = ["--quantize", folder / f"{case.name}.json"]
    process = corten_program.run("quantize", case / "float.pt2", "--calibrate", calibration(case), *options, "-o", graph, expect=None)
    return (GraphText(graph), "") if process.returncode == 0 else (None, process.stderr)


def differences(case, folder):
    """Lines; none if all parameters are the same."""
    graph, diagnostics = quantize(case, folder)
    if graph is None:
        return [Difference("refused: " + diagnostics.splitlines()[0].split("error: ")[-1])]
    return compare(Quantized.from_file(case / "qdq.pt2"), graph)


def compare(theirs, graph):
    return [*compare_grids(theirs.grids(), graph.grids(theirs.names())), *compare_constants(theirs.constants(), corten_constants(graph))]


def folders():
    """The cases, in the order of their names."""
    return sorted(path.parent for path in (corten_program.SHARED / "data" / "pt2e").glob("*/case.json"))


def verdict(case, folder):
    """(entry of the documentation's table, differences that need a reason)"""
    if not (case / "qdq.pt2").exists():
        return "no qdq.pt2", ["ExecuTorch made none"]
    found = differences(case, folder)
    serious = [difference.text for difference in found if not difference.rounding]
    if serious:
        return "differs", serious
    scales = "1 scale" if len(found) == 1 else f"{len(found)} scales"
    return (f"identical up to the last bits of {scales}" if found else "identical"), []
