# SPDX-License-Identifier: Apache-2.0
"""Reads the quantization of a `.cir` file."""
import dataclasses
import pathlib
import re

import numpy as np

PLUMBING = ("reshape", "transpose")
ELEMENTS = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f32": np.float32, "bool": np.bool_}


@dataclasses.dataclass
class Constant:
    array: np.ndarray
    scales: list  # float32; empty: not quantized
    zero_points: list
    axis: int     # -1: one scale
    origins: list


@dataclasses.dataclass
class Node:
    outputs: list
    operator: str
    inputs: list
    parameters: str
    origins: list  # source nodes, in execution order

    def number(self, name):
        return re.search(rf"\b{name} (\S+?)[,}}]", self.parameters).group(1)

    def grid(self):
        """(scale, zero point) of a per-tensor quantize or dequantize."""
        return np.float32(self.number("scale")), int(self.number("zero_point"))


class GraphText:
    """`inputs` and `outputs` are value names; `constants` and `made_by` are by value name."""

    def __init__(self, path):
        self.inputs, self.outputs, self.constants, self.nodes = [], [], {}, []
        data = pathlib.Path(f"{path}.constants")
        self.data = data.read_bytes() if data.exists() else b""
        for line in pathlib.Path(path).read_text().splitlines():
            self.read(line)
        self.made_by = {output: node for node in self.nodes for output in node.outputs}

    def read(self, line):
        if line.startswith("input "):
            self.inputs.append(re.match(r"input %([^:]+):", line).group(1))
        elif line.startswith("output "):
            self.outputs.append(re.match(r"output %(\S+)", line).group(1))
        elif line.startswith("constant "):
            self.read_constant(line)
        elif line.startswith("%"):
            self.read_node(line)

    def read_constant(self, line):
        name, element, shape, rest = re.match(r"constant %([^:]+): (\w+)\[([^\]]*)\](.*)", line).groups()
        shape = [int(n) for n in shape.split(",") if n.strip()]
        scales, zero_points, axis = read_quantization(rest)
        self.constants[name] = Constant(self.elements(rest, ELEMENTS[element], shape), scales, zero_points, axis, read_origins(rest))

    def elements(self, text, dtype, shape):
        place = re.search(r"= bytes (\d+) (\d+)", text)
        if place:
            offset, size = map(int, place.groups())
            return np.frombuffer(self.data[offset : offset + size], dtype=dtype).reshape(shape)
        listed = re.search(r"= \[([^\]]*)\]", text).group(1)
        return np.array([float(n) if dtype == np.float32 else int(n) for n in listed.split(",") if n.strip()], dtype=dtype).reshape(shape)

    def read_node(self, line):
        types, call = re.match(r"(%.*?) = (\S.*)$", line).groups()
        operator, inputs, rest = re.match(r"([\w.]+)\(([^)]*)\)(.*)", call).groups()
        parameters = re.match(r" (\{[^}]*\})", rest)
        self.nodes.append(Node(re.findall(r"%([^:,\s]+):", types), operator, re.findall(r"%([^,\s]+)", inputs),
                               parameters.group(1) if parameters else "", read_origins(rest)))

    def grids(self, known=()):
        """{source node or input name: {(scale, zero point)}} of every activation that passes a quantize.

        A value made from several source nodes goes by the last one that is `known`. Reshapes that an operator is
        surrounded with don't count, if the operator itself is quantized.
        """
        found = {}
        for node in self.nodes:
            if node.operator == "quantize":
                made_by = self.made_by.get(node.inputs[0])
                plumbing = made_by is not None and made_by.operator in PLUMBING
                found.setdefault(self.source_name(node.inputs[0], known), []).append((plumbing, node.grid()))
        return {name: {grid for plumbing, grid in grids if not plumbing or all(p for p, _ in grids)} for name, grids in found.items()}

    def source_name(self, value, known):
        """The name in the source graph of what `value` is."""
        made_by = self.made_by.get(value)
        if made_by is None or value in known:
            return value
        if made_by.operator in ("quantize", "dequantize") and not made_by.origins:
            return self.source_name(made_by.inputs[0], known)
        return next((name for name in reversed(made_by.origins) if name in known), made_by.origins[-1] if made_by.origins else value)

    def dequantized(self, value):
        """The constant of codes behind `value`, or None."""
        made_by = self.made_by.get(value)
        return self.constants.get(made_by.inputs[0]) if made_by and made_by.operator == "dequantize" else None


def read_quantization(text):
    many = re.search(r"quantized\(axis (\d+), scales \[([^\]]*)\], zero_points \[([^\]]*)\]", text)
    if many:
        scales, zero_points = ([n for n in many.group(i).split(",")] for i in (2, 3))
        return [np.float32(n) for n in scales], [int(n) for n in zero_points], int(many.group(1))
    one = re.search(r"quantized\(scale (\S+), zero_point (-?\d+)", text)
    return ([np.float32(one.group(1))], [int(one.group(2))], -1) if one else ([], [], -1)


def read_origins(text):
    return re.findall(r' at \{[^}]*?node "([^"]*)"', text)
