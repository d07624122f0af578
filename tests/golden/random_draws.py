#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""1,000 draws of ten distributions over odd shapes, in both Threefry layouts, from JAX.

    python3 tests/golden/random_draws.py

Writes random_draws.{safetensors,json}.  Made with jax 0.10.2 and numpy 2.4.6 (requirements.txt);
bernoulli, gumbel and categorical in JAX's default mode "low".
"""
import jax
import jax.numpy as jnp
import numpy as np

from group import Group

jax.config.update("jax_enable_x64", True)

DRAWS = 50  # of each distribution in each layout
SHAPES = [(), (1,), (3,), (5,), (7,), (13,), (31,), (1, 1), (3, 5), (5, 7), (1, 9), (3, 1, 5),
          (2, 3, 3), (7, 1), (0, 3), (5, 3, 1, 1)]
EXACT = {"mode": "bits", "why": "the same bits, shifted into a float"}
TOLERANCES = {
    "uniform_range": {"mode": "bits", "why": "max (a, fma (u, b - a, a)), which XLA makes of it"},
    "normal": {"mode": "close", "rtol": 1e-5, "atol": 1e-7, "why": "erf_inv's approximation"},
    "truncated_normal": {"mode": "close", "rtol": 0, "atol": 2e-6,
                         "why": "erf_inv's approximation near the bounds"},
    "gumbel": {"mode": "close", "rtol": 0, "atol": 2e-6, "why": "two logarithms"},
}
DOC = """Case <layout>.<distribution>.<dtype>: draw i has the key in/keys[i] (raw u32[2]), the shape of
out/<i> and the numbers attrs.params[i] (uniform_range: min, max; randint: min, max; bernoulli: p;
truncated_normal: lower, upper; permutation: n).  categorical: logits in/logits<i>, the last axis is the
categories; equality is promised where the two best perturbed logits differ by more than
1e-5 * max (1, |logit|), and every recorded draw satisfies that."""


def bounds(rng, dtype):
    info = np.iinfo(dtype)
    low, high = sorted(int(v) for v in rng.integers(max(info.min, -10**6), min(info.max, 10**6), 2))
    return [low, high + 1]


def categorical(key, logits):
    """The draw, or None where two perturbed logits are nearly equal."""
    y = jax.random.categorical(key, logits)
    noisy = np.sort(logits + jax.random.gumbel(key, logits.shape, logits.dtype), axis=-1)
    apart = noisy[..., -1] - noisy[..., -2] > 1e-5 * np.maximum(1, np.abs(logits).max(-1))
    return y.astype(jnp.int32) if apart.all() else None


def draw(kind, dtype, key, shape, rng):
    """(value, its numbers, extra input) of one draw."""
    real = jax.random
    if kind == "bits":
        return real.bits(key, shape, dtype), [], None
    if kind == "randint":
        low, high = bounds(rng, dtype)
        return real.randint(key, shape, low, high, dtype), [low, high], None
    if kind == "permutation":
        n = int(rng.integers(1, 60))
        return real.permutation(key, n).astype(dtype), [n], None
    if kind == "uniform":
        return real.uniform(key, shape, dtype), [], None
    if kind == "uniform_range":
        low, high = sorted(float(np.float32(v)) for v in rng.normal(0, 3, 2))
        return real.uniform(key, shape, dtype, low, high), [low, high], None
    if kind == "bernoulli":
        p = float(np.float32(rng.random()))
        return real.bernoulli(key, jnp.asarray(p, dtype), shape), [p], None
    if kind == "truncated_normal":
        low, high = sorted(float(np.float32(v)) for v in rng.uniform(-3, 3, 2))
        return real.truncated_normal(key, low, high, shape, dtype), [low, high], None
    if kind == "categorical":
        logits = (2 * rng.standard_normal((*shape, int(rng.integers(2, 9))))).astype(dtype)
        return categorical(key, logits), [], logits
    return getattr(real, kind)(key, shape, dtype), [], None


DTYPES = {"bits": ["uint8", "uint16", "uint32", "uint64"], "randint": ["int32", "int64", "uint8"],
          "permutation": ["int32"]}
KINDS = ["bits", "randint", "permutation", "uniform", "uniform_range", "bernoulli", "normal",
         "truncated_normal", "gumbel", "categorical"]


def add(group, layout, kind, dtype, count, rng):
    keys, params, out, logits = [], [], {}, {}
    while len(keys) < count:
        i = len(keys)
        key = jax.random.PRNGKey(int(rng.integers(0, 2**63)))
        shape = SHAPES[int(rng.integers(0, len(SHAPES)))]
        y, numbers, extra = draw(kind, dtype, key, shape, rng)
        if y is None:
            continue
        keys.append(np.asarray(key))
        params.append(numbers)
        out[str(i)] = y
        if extra is not None:
            logits[f"logits{i}"] = extra
    group.add(f"{layout}.{kind}.{dtype}", kind,
              {"layout": layout, "dtype": dtype, "mode": "low", "params": params},
              TOLERANCES.get(kind, EXACT), {"in": {"keys": np.array(keys), **logits}, "out": out})
    return count


def main():
    group = Group("random_draws", "jax", (jax, np), " ".join(DOC.split()), 20261202)
    rng, total = np.random.default_rng(20261202), 0
    for layout in ("partitionable", "original"):
        jax.config.update("jax_threefry_partitionable", layout == "partitionable")
        for kind in KINDS:
            dtypes = DTYPES.get(kind, ["float32", "float64"])
            parts = np.array_split(np.arange(DRAWS), len(dtypes))
            for dtype, part in zip(dtypes, parts):
                total += add(group, layout, kind, dtype, len(part), rng)
    assert total == 1000
    group.write()


if __name__ == "__main__":
    main()
