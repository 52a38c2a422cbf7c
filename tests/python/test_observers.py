# SPDX-License-Identifier: Apache-2.0
"""Corten's observers choose the same bits as torchao's."""
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
observers = pytest.importorskip("torchao.quantization.pt2e")

from numerics_program import Numerics  # noqa: E402

# Dozens of random cases always, thousands at night.
SEEDS = [*range(40), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(40, 3000))]


@pytest.fixture(scope="module")
def numerics():
    program = Numerics()
    yield program
    program.close()


def torch_choice(observer, batches):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for batch in batches:
            observer(torch.from_numpy(np.asarray(batch, dtype=np.float32)))
        scales, zero_points = observer.calculate_qparams()
    return list(zip(scales.numpy().astype(np.float32).ravel(), map(int, zero_points.flatten())))


def histogram(batches, **options):
    observer = observers.HistogramObserver(dtype=torch.int8, qscheme=torch.per_tensor_affine, **options)
    return torch_choice(observer, batches)


def random_batches(seed):
    """Batches as layers produce them: clipped, skewed, with outliers, growing, degenerate."""
    random = np.random.default_rng(seed)
    size = int(random.choice([1, 2, 17, 300, 4000, 30000]))
    scale = 10.0 ** random.uniform(-6, 4)
    kinds = ["normal", "uniform", "relu", "outlier", "sparse", "laplace", "sigmoid", "integers"]
    kind = random.choice(kinds)
    batches = []
    for index in range(int(random.choice([1, 2, 3, 6, 12, 30]))):
        x = {
            "normal": lambda: random.normal(size=size),
            "uniform": lambda: random.uniform(-1, 1, size=size),
            "relu": lambda: np.maximum(random.normal(size=size), 0),
            "outlier": lambda: np.concatenate([random.normal(size=size), random.normal(size=2) * 50]),
            "sparse": lambda: random.normal(size=size) * (random.uniform(size=size) < 0.1),
            "laplace": lambda: random.laplace(size=size),
            "sigmoid": lambda: 1 / (1 + np.exp(-4 * random.normal(size=size))),
            "integers": lambda: np.round(random.normal(size=size) * 3),
        }[kind]()
        growth = 1 + index * random.choice([0, 0.1, 1])
        batches.append((x * scale * growth + random.choice([0, 0, 1]) * scale).astype(np.float32))
    return batches


@pytest.mark.parametrize("seed", SEEDS)
def test_histogram_random(numerics, seed):
    batches = random_batches(seed)
    assert numerics.observe("histogram", batches) == histogram(batches)


def ramp(low, high, count=1000):
    return np.linspace(low, high, count, dtype=np.float32)


SPECIAL = {
    "all zero": [np.zeros(64)],
    "all zero twice": [np.zeros(64), np.zeros(64)],
    "constant": [np.full(64, 3.25)],
    "negative constant": [np.full(64, -0.1)],
    "constant, then another": [np.full(64, 3.25), np.full(100, -1.5), np.full(3, 7)],
    "constant, then a range": [np.full(64, 0.5), ramp(-1, 2)],
    "a range, then a constant outside": [ramp(-1, 2), np.full(64, 9)],
    "single value": [np.array([0.7])],
    "never seen": [],
    "empty batch": [np.zeros(0), ramp(-3, 1)],
    "same range": [ramp(-1, 1), ramp(-1, 1, 77)],
    "growing to both sides": [ramp(-k, k * 1.1, 500) for k in range(1, 30)],
    "growing to one side": [ramp(0, 1.7**k, 500) for k in range(20)],
    "shrinking": [ramp(-10.0 / k, 9.0 / k, 300) for k in range(1, 12)],
    "one huge outlier": [np.append(ramp(-1, 1), 1e6)],
    "many outliers": [np.append(ramp(-1, 1, 20000), np.full(50, 40))],
    "infinity dropped": [np.array([1, np.inf, -2, 0.5, -np.inf])],
    "only infinity, then numbers": [np.array([np.inf]), ramp(-1, 4)],
    "tiny": [ramp(-1e-9, 1e-9)],
    "far from zero": [ramp(100, 101)],
    "far below zero": [ramp(-101, -100)],
    "two values": [np.array([0, 1] * 50)],
    "negative zero": [np.array([-0.0, 0.0])],
}


@pytest.mark.parametrize("name", SPECIAL)
def test_histogram_special(numerics, name):
    batches = [np.asarray(batch, dtype=np.float32) for batch in SPECIAL[name]]
    assert numerics.observe("histogram", batches) == histogram(batches)


def test_histogram_of_many(numerics):
    random = np.random.default_rng(7)
    batches = [random.normal(size=1_000_000).astype(np.float32) * (1 + i) for i in range(3)]
    assert numerics.observe("histogram", batches) == histogram(batches)


@pytest.mark.parametrize("eps", [2.0**-23, 2.0**-12, 0.1])
@pytest.mark.parametrize("low", [-128, -127])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("name", [name for name in SPECIAL if "infinity" not in name])  # torchao: an infinite scale
def test_minmax_special(numerics, name, symmetric, low, eps):
    batches = [np.asarray(batch, dtype=np.float32) for batch in SPECIAL[name]]
    scheme = torch.per_tensor_symmetric if symmetric else torch.per_tensor_affine
    observer = observers.MinMaxObserver(dtype=torch.int8, qscheme=scheme, quant_min=low, quant_max=127, eps=eps)
    assert numerics.observe("minmax", batches, symmetric, low, eps=eps) == torch_choice(observer, batches)


@pytest.mark.parametrize("seed", SEEDS)
def test_minmax_random(numerics, seed):
    batches = random_batches(seed)
    for symmetric in (False, True):
        scheme = torch.per_tensor_symmetric if symmetric else torch.per_tensor_affine
        observer = observers.MinMaxObserver(dtype=torch.int8, qscheme=scheme)
        assert numerics.observe("minmax", batches, symmetric) == torch_choice(observer, batches)


@pytest.mark.parametrize("seed", SEEDS)
def test_per_channel_random(numerics, seed):
    random = np.random.default_rng(seed)
    shape = [int(n) for n in random.integers(1, 9, size=random.integers(2, 5))]
    axis = int(random.integers(len(shape)))
    symmetric = bool(seed % 2)
    low = [-128, -127][seed // 2 % 2]
    weights = random.normal(size=shape) * 10.0 ** random.uniform(-9, 3, size=shape[axis]).reshape(
        [-1 if i == axis else 1 for i in range(len(shape))])
    batches = [(weights * k).astype(np.float32) for k in range(1, 1 + int(random.integers(1, 3)))]
    scheme = torch.per_channel_symmetric if symmetric else torch.per_channel_affine
    observer = observers.PerChannelMinMaxObserver(
        ch_axis=axis, dtype=torch.int8, qscheme=scheme, quant_min=low, quant_max=127)
    expected = torch_choice(observer, batches)
    assert numerics.observe("per_channel", batches, symmetric, low, axis=axis, shape=shape) == expected
