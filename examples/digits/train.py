# SPDX-License-Identifier: Apache-2.0
"""Trains the digits networks and writes every data file of this folder.

    python -m venv venv && venv/bin/pip install -r requirements-train.txt && venv/bin/python examples/digits/train.py
"""
import pathlib
import re

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

import net

FOLDER = pathlib.Path(__file__).resolve().parent
TEST_IMAGES = 360
CALIBRATION_IMAGES = 128
BATCH = 64


def load():
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[:, None]  # [n][1][8][8]
    return train_test_split(images, digits.target, test_size=TEST_IMAGES, stratify=digits.target, random_state=0)


def shifted(images):
    """Each image moved by up to one pixel in each direction."""
    padded = nn.functional.pad(images, (1, 1, 1, 1))
    rows, cols = torch.randint(0, 3, (2, len(images)))
    return torch.stack([p[:, r:r + 8, c:c + 8] for p, r, c in zip(padded, rows, cols)])


def train(model, images, labels, epochs, shift):
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-2)
    steps = epochs * (len(images) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=steps)
    model.train()
    for _ in range(epochs):
        order = torch.randperm(len(images))
        for start in range(0, len(images) - BATCH + 1, BATCH):
            batch = order[start:start + BATCH]
            x = shifted(images[batch]) if shift else images[batch]
            loss = nn.functional.cross_entropy(model(x), labels[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return model.eval()


def accuracy(model, images, labels):
    with torch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


def export(model, path):
    """Writes the .pt2 file, with source lines named by paths that mean the same on every machine."""
    program = torch.export.export(model, (torch.zeros(1, 1, 8, 8),))
    for node in program.graph.nodes:
        trace = node.meta.get("stack_trace")
        if trace:
            trace = re.sub(r'"[^"]*/site-packages/', '"site-packages/', trace)
            node.meta["stack_trace"] = trace.replace(f"{FOLDER}/", "examples/digits/")
    torch.export.save(program, path)


def main():
    train_images, test_images, train_labels, test_labels = load()
    np.save(FOLDER / "calibration.npy", train_images[:CALIBRATION_IMAGES])
    np.save(FOLDER / "test_images.npy", test_images)
    np.save(FOLDER / "test_labels.npy", test_labels.astype(np.uint8))
    x, y = torch.from_numpy(train_images), torch.from_numpy(train_labels)
    for name, network, epochs, shift in (("cnn", net.Cnn, 120, True), ("mlp", net.Mlp, 100, False)):
        torch.manual_seed(1)
        model = train(network(), x, y, epochs, shift)
        parameters = sum(p.numel() for p in model.parameters())
        share = accuracy(model, torch.from_numpy(test_images), torch.from_numpy(test_labels))
        print(f"{name}: {parameters} parameters, float accuracy {100 * share:.2f} %")
        export(model, FOLDER / f"digits_{name}.pt2")


if __name__ == "__main__":
    main()
