#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys of steps and variables, initial values, permutations and random bits, from JAX.

    python3 tests/golden/key_cases.py

Writes key_cases.{safetensors,json}.  Made with jax 0.10.2 and numpy 2.4.6 (requirements.txt).
"""
import hashlib

import jax
import jax.numpy as jnp
import numpy as np

from group import Group

jax.config.update("jax_enable_x64", True)

BITS = {"mode": "bits", "why": "integers"}
DOC = """key arrays are raw u32[2]; attrs.layout is the Threefry layout.  step_keys: every key of a train
and an eval step in the order it is made.  variable_keys: attrs.tree = {name, vars, children}, children a
map or, for create_children, a list under the name of the list; out/<path> is the key of a variable
after fold_in of md5 (path) mod 2^31 - 1 (attrs.hashes).  init: initial value of one variable from
in/key.  permutation: jax.random.permutation (fold_in (PRNGKey (seed), epoch), n).  bits: jax.random.bits."""

TREES = {
    "one_layer": {"name": "linear", "vars": ["w", "b"], "children": {}},
    "creation_order": {"name": "model", "vars": ["z", "a"], "children": {
        "second": {"vars": ["w"], "children": {}}, "first": {"vars": ["w"], "children": {}}}},
    "list": {"name": "stack", "vars": [], "children": {
        "sub": [{"vars": ["w"], "children": {}} for _ in range(12)],
        "bias": {"vars": ["b"], "children": {}}}},
    "classification": {"name": "model", "vars": [], "children": {
        "network": {"vars": [], "children": {"layers": [
            {"vars": [], "children": {}},
            {"vars": [], "children": {"linear": {"vars": ["w"], "children": {}},
                                      "bias": {"vars": ["b"], "children": {}},
                                      "activation": {"vars": [], "children": {}}}},
            {"vars": ["beta", "gamma", "moving_mean", "moving_variance"], "children": {}}]}},
        "softmax": {"vars": [], "children": {"logits_ffn": {"vars": [], "children": {
            "linear": {"vars": ["w"], "children": {}},
            "bias": {"vars": ["b"], "children": {}},
            "activation": {"vars": [], "children": {}}}}}}}},
}


def name_hash(path):
    return int.from_bytes(hashlib.md5(path.encode()).digest(), "big") % (2**31 - 1)


def children_of(tree):
    """(name, child) in flatten order: names sorted bytewise, lists in their own order."""
    for name in sorted(tree["children"], key=str.encode):
        child = tree["children"][name]
        if isinstance(child, list):
            yield from ((f"{name}_{i}", c) for i, c in enumerate(child))
        else:
            yield name, child


def variable_keys(tree, path, key):
    children = list(children_of(tree))
    key, *per_child = jax.random.split(key, len(children) + 1)
    found = {}
    for (name, child), k in zip(children, per_child):
        found |= variable_keys(child, f"{path}.{name}", k)
    key, *per_var = jax.random.split(key, len(tree["vars"]) + 1)
    for name, k in zip(tree["vars"], per_var):
        full = f"{path}.{name}"
        found[full] = jax.random.fold_in(k, name_hash(full))
    return found


def add_variable_keys(group, layout):
    for name, tree in TREES.items():
        keys = variable_keys(tree, tree["name"], jax.random.PRNGKey(1234))
        group.add(f"variable_keys.{layout}.{name}", "variable_keys",
                  {"layout": layout, "key": [0, 1234], "tree": tree,
                   "hashes": {path: name_hash(path) for path in keys}}, BITS, {"out": keys})


def draw(key, count):
    """`count` keys from a cell that starts at `key`; the first is the one that binding takes."""
    drawn = []
    for _ in range(count):
        key, out = jax.random.split(key)
        drawn.append(out)
    return drawn


def add_step_keys(group, layout):
    for seed in (0, 1234, 2**32 + 5):
        for step in (0, 1, 199, 2**31, 2**32 - 1):
            key = jax.random.PRNGKey(seed)
            k0 = jax.random.fold_in(key, np.uint32(step))
            k1, kf = jax.random.split(k0)
            k2, kb = jax.random.split(k1)
            out = {"K0": k0, "K1": k1, "Kf": kf, "K2": k2, "Kb": kb,
                   "forward_draws": jnp.stack(draw(kf, 4)), "backward_draws": jnp.stack(draw(kb, 4)),
                   "eval_draws": jnp.stack(draw(k0, 4))}
            group.add(f"step_keys.{layout}.{seed}.{step}", "step_keys",
                      {"layout": layout, "seed": seed, "step": step}, BITS,
                      {"in": {"key": key}, "out": out},
                      "draws[0] is the key that bind takes; eval does not split")


def add_permutations(group, layout):
    for n in (1, 2, 5, 1437, 2000):
        for seed in (0, 1234):
            for epoch in (0, 1, 7) if n < 100 else (0, 3):
                key = jax.random.fold_in(jax.random.PRNGKey(seed), epoch)
                y = jax.random.permutation(key, n).astype(jnp.int32)
                group.add(f"permutation.{layout}.{n}.{seed}.{epoch}", "permutation",
                          {"layout": layout, "n": n, "seed": seed, "epoch": epoch}, BITS,
                          {"in": {"key": key}, "out": {"y": y}},
                          "ceil (3 ln n / ln (2^32 - 1)) rounds, each: k, s = split (k); stable "
                          "sort by bits (s, n)")


def add_bits(group, layout):
    for shape in ((), (1,), (3,), (7,), (0,), (2, 3), (5, 1, 3), (257,)):
        for width in (8, 16, 32, 64):
            key = jax.random.PRNGKey(1234 + len(shape))
            bits = jax.random.bits(key, shape, dtype=f"uint{width}")
            text = "x".join(map(str, shape)) or "scalar"
            group.add(f"bits.{layout}.{text}.w{width}", "bits",
                      {"layout": layout, "shape": list(shape), "width": width}, BITS,
                      {"in": {"key": key}, "out": {"y": bits}})


def fans(shape):
    if len(shape) < 2:
        return (shape[0],) * 2 if shape else (None, None)
    field = int(np.prod(shape[:-2]))
    return shape[-2] * field, shape[-1] * field


def initial(method, scale, key, shape, dtype):
    """The table of initialisers; every scale factor is computed in f64 and rounded once."""
    fan_in, fan_out = fans(shape)
    if method == "constant":
        return jnp.full(shape, scale, dtype)
    if method == "xavier":
        limit = scale * np.sqrt(6 / (fan_in + fan_out))
        return jax.random.uniform(key, shape, dtype, -limit, limit)
    if method == "uniform_unit_scaling":
        s = scale * np.sqrt(3 / max(1, np.prod(shape[:-1])))
        return jnp.asarray(s, dtype) * jax.random.uniform(key, shape, dtype, -1, 1)
    if method == "gaussian_sqrt_fanavg":
        return jnp.asarray(scale * np.sqrt(2 / (fan_in + fan_out)), dtype) * jax.random.normal(
            key, shape, dtype)
    base, _, over = method.partition("_sqrt_")
    scale /= np.sqrt({"": 1, "dim": shape[0], "fanin": fan_in, "fanout": fan_out}[over])
    sample = {"gaussian": lambda: jax.random.normal(key, shape, dtype),
              "uniform": lambda: jax.random.uniform(key, shape, dtype, -1, 1),
              "truncated_gaussian": lambda: jax.random.truncated_normal(key, -2, 2, shape, dtype)}
    return jnp.asarray(scale, dtype) * sample[base]()


def add_init(group, layout):
    methods = ["constant", "xavier", "uniform_unit_scaling", "gaussian_sqrt_fanavg"]
    methods += [b + o for b in ("gaussian", "uniform", "truncated_gaussian")
                for o in ("", "_sqrt_dim", "_sqrt_fanin", "_sqrt_fanout")]
    for method in methods:
        for dtype, rtol, atol in (("float32", 1e-5, 2e-6), ("float64", 1e-12, 1e-14)):
            for shape in ((6, 5), (3, 2, 4, 3)):
                key = jax.random.fold_in(jax.random.PRNGKey(1234), len(shape))
                y = initial(method, 0.75, key, shape, dtype)
                text = "x".join(map(str, shape))
                group.add(f"init.{layout}.{method}.{dtype}.{text}", "init",
                          {"layout": layout, "method": method, "scale": 0.75,
                           "shape": list(shape), "dtype": dtype},
                          {"mode": "close", "rtol": rtol, "atol": atol,
                           "why": "erf_inv's approximation and the order of scaling"},
                          {"in": {"key": key}, "out": {"y": y}})


def main():
    for path, want in (("linear.w", 1961287960), ("bn.gamma", 1341546177),
                       ("model.sub_0.w", 1500894550)):
        assert name_hash(path) == want
    group = Group("key_cases", "jax", (jax, np), " ".join(DOC.split()), 1234)
    for layout in ("partitionable", "original"):
        jax.config.update("jax_threefry_partitionable", layout == "partitionable")
        for add in (add_variable_keys, add_step_keys, add_permutations, add_bits, add_init):
            add(group, layout)
    group.write()


if __name__ == "__main__":
    main()
