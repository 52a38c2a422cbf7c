# SPDX-License-Identifier: Apache-2.0
"""Shows int8 scores of the test images: `report` prints accuracy and costs, `digit N` draws an image with its scores.

Needs nothing but Python's own library, so that a demo needs no packages.
"""
import argparse
import ast
import json
import math
import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parent
CLASSES = 10
SHADES = " ░▒▓█"


def read_npy(path):
    """(shape, flat values) of a version 1 .npy file of float32 or uint8, in C order."""
    data = path.read_bytes()
    header_bytes = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + header_bytes].decode())
    code = {"<f4": "f", "|u1": "B"}[header["descr"]]
    return header["shape"], struct.unpack_from(f"<{math.prod(header['shape'])}{code}", data, 10 + header_bytes)


def read_scores(path):
    """One list of int8 scores per image."""
    data = path.read_bytes()
    values = struct.unpack(f"{len(data)}b", data)
    return [values[i:i + CLASSES] for i in range(0, len(values), CLASSES)]


def best(scores):
    return max(range(CLASSES), key=lambda digit: scores[digit])


def report(options):
    labels = read_npy(FOLDER / "test_labels.npy")[1]
    scores = read_scores(options.scores)
    right = sum(best(s) == label for s, label in zip(scores, labels, strict=True))
    costs = json.loads(options.json.read_text())
    instructions = costs["instructions"]["per_inference"]
    flash = costs["flash"]
    print(f"  accuracy      {100 * right / len(labels):.2f} % ({right} of {len(labels)})")
    print(f"  instructions  {sum(instructions) / len(instructions):,.0f} per image")
    print(f"  flash         {flash['code_bytes'] + flash['constant_bytes']:,} bytes"
          f" ({flash['code_bytes']:,} code, {flash['constant_bytes']:,} constants)")
    print(f"  arena         {costs['ram']['arena_bytes']:,} bytes")
    print(f"  stack         {costs['ram']['stack_bytes']:,} bytes")


def drawing(pixels, width=8):
    """One line of text per row of pixels from 0 to 1."""
    text = "".join(2 * SHADES[round(p * (len(SHADES) - 1))] for p in pixels)
    return [text[i:i + 2 * width] for i in range(0, len(text), 2 * width)]


def digit(options):
    shape, pixels = read_npy(FOLDER / "test_images.npy")
    size = math.prod(shape[1:])
    rows = drawing(pixels[options.image * size:(options.image + 1) * size])
    scores = read_scores(options.scores)[options.image]
    lowest, highest = min(scores), max(scores)
    for i in range(CLASSES):
        bar = "█" * round(20 * (scores[i] - lowest) / max(1, highest - lowest))
        row = rows[i - 1] if 0 < i <= len(rows) else " " * 16
        print(f"  {row}    {i} {scores[i]:5d} {bar}{' ◀' if i == best(scores) else ''}")
    print(f"  the label says {read_npy(FOLDER / 'test_labels.npy')[1][options.image]}")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    commands = options.add_subparsers(required=True)
    command = commands.add_parser("report")
    command.add_argument("--scores", type=pathlib.Path, required=True, help="int8 scores, image after image")
    command.add_argument("--json", type=pathlib.Path, required=True, help="what `corten simulate --json` wrote")
    command.set_defaults(run=report)
    command = commands.add_parser("digit")
    command.add_argument("image", type=int)
    command.add_argument("--scores", type=pathlib.Path, required=True)
    command.set_defaults(run=digit)
    chosen = options.parse_args()
    chosen.run(chosen)


if __name__ == "__main__":
    main()
