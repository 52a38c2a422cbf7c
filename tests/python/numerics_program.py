# SPDX-License-Identifier: Apache-2.0
"""Talks to the program that runs Corten's quantization arithmetic (tests/support/numerics.cpp)."""
import os
import pathlib
import struct
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_program():
    """The newest `numerics` below $CORTEN_BUILD, or below build/."""
    folder = pathlib.Path(os.environ.get("CORTEN_BUILD", ROOT / "build"))
    found = sorted(folder.rglob("numerics"), key=lambda path: path.stat().st_mtime)
    found = [path for path in found if path.is_file() and os.access(path, os.X_OK)]
    return found[-1] if found else None


def floats(values):
    values = np.ascontiguousarray(values, dtype="<f4").ravel()
    return struct.pack("<I", values.size) + values.tobytes()


def from_bits(answer):
    return np.array([int(word, 16) for word in answer.split()], dtype=np.uint32).view(np.float32)


class Numerics:
    def __init__(self):
        program = find_program()
        if program is None:
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("build the program `numerics` first")
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, request):
        self.process.stdin.write(request)
        self.process.stdin.flush()
        return self.process.stdout.readline().decode().strip()

    def observe(self, kind, batches, symmetric=False, low=-128, high=127, eps=2.0**-23, axis=0, shape=()):
        """[(scale as float32, zero point)] per channel."""
        number = {"minmax": 0, "histogram": 1, "per_channel": 2}[kind]
        request = struct.pack("<IIIiifII", 1, number, symmetric, low, high, eps, axis, len(shape))
        request += struct.pack(f"<{len(shape)}I", *shape) + struct.pack("<I", len(batches))
        answer = self.ask(request + b"".join(floats(batch) for batch in batches))
        assert not answer.startswith("error"), answer
        words = answer.split()[1:]
        scales = from_bits(" ".join(words[0::2]))
        return list(zip(scales, map(int, words[1::2])))

    def codes(self, values, scale, zero_point=0, low=-128, high=127, rule="pytorch"):
        number = {"pytorch": 0, "tflite": 1, "onnx": 2}[rule]
        answer = self.ask(struct.pack("<IIfiii", 2, number, scale, zero_point, low, high) + floats(values))
        return np.array(answer.split(), dtype=np.int64).reshape(np.shape(values))

    def bias(self, values, input_scale, weight_scale):
        answer = self.ask(struct.pack("<Iff", 3, input_scale, weight_scale) + floats(values))
        return np.array(answer.split(), dtype=np.int64)

    def reals(self, codes, scale, zero_point):
        codes = np.asarray(codes, dtype="<i4").ravel()
        request = struct.pack("<IfiI", 5, scale, zero_point, codes.size) + codes.tobytes()
        return from_bits(self.ask(request))

    def fold(self, weights, bias, gamma, beta, mean, variance, epsilon, axis=0, linear=False):
        """(weights, bias); bias, gamma and beta may be None."""
        inner = int(np.prod(weights.shape[axis + 1:], dtype=np.int64))
        tensors = [weights, bias, gamma, beta, mean, variance]
        request = struct.pack("<IIIf", 4, linear, inner, epsilon)
        answer = from_bits(self.ask(request + b"".join(floats([] if t is None else t) for t in tensors)))
        return answer[: weights.size].reshape(weights.shape), answer[weights.size:]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
