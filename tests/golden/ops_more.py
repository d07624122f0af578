#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ops under the attribute names of sdk/lamina/ops.def: what the group `ops` does not hold.

    python3 tests/golden/ops_more.py

Data movement over every dtype, reductions by and/or and of integers, reduce_window over dtypes,
reduce_window_arg, sort by two keys, exclusive cumsum, f64 and dilated convolution, dot_general with
out_dtype, empty and size-1 dims.  So one loop in C can run every case: op = kind, operands in
in/0, in/1 ..., results in out/0 ...
Writes ops_more.{safetensors,json}.  Made with jax 0.10.2 and numpy 2.4.6 (requirements.txt).
"""
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from group import Group

jax.config.update("jax_enable_x64", True)

FLOATS = ["float64", "float32", "float16", "bfloat16"]
INTS = ["int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"]
ALL = [*FLOATS, *INTS, "bool"]
BITS = {"mode": "bits", "why": "elements are moved, compared or counted, not rounded"}
EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
DOC = """kind and attrs: op and attributes of ops.def; in/<i>: operands, out/<i>: results.  JAX through
jax.lax, except reduce_window_arg and cumsum, which are numpy by the definition in ops.def.  16-bit
floats: computed in f32 from the same operands and rounded once."""


class Cases:
    def __init__(self):
        self.group = Group("ops_more", "jax", (jax, np), " ".join(DOC.split()), 20261203)
        self.rng = np.random.default_rng(20261203)

    def data(self, dtype, shape, low=-9, high=9):
        """Small numbers: exact in every dtype, so that integer-valued sums are exact too."""
        if dtype == "bool":
            return jnp.asarray(self.rng.integers(0, 2, shape).astype(bool))
        if dtype.startswith("u"):
            low = 0
        x = self.rng.integers(low, high + 1, shape)
        return jnp.asarray(x).astype(dtype)

    def real(self, dtype, shape):
        return jnp.asarray(self.rng.standard_normal(shape)).astype(dtype)

    def add(self, op, id, attrs, operands, results, tolerance=BITS):
        results = results if isinstance(results, (list, tuple)) else [results]
        self.group.add(f"{op}.{id}", op, attrs, tolerance,
                       {"in": {str(i): x for i, x in enumerate(operands)},
                        "out": {str(i): y for i, y in enumerate(results)}})


def close(dtype, terms, what):
    eps = EPS.get(dtype, 0)
    return {"mode": "close", "rtol": eps * (terms + 2), "atol": eps * terms,
            "why": f"{what}: order of summation, error grows with the number of terms"}


def movement(c):
    for t in ALL:
        x = c.data(t, (2, 3, 4))
        fill = c.data(t, ())
        c.add("transpose", t, {"permutation": [2, 0, 1]}, [x], lax.transpose(x, (2, 0, 1)))
        c.add("reverse", t, {"dimensions": [0, 2]}, [x], lax.rev(x, (0, 2)))
        c.add("reshape", t, {}, [x], x.reshape(4, 6))
        c.add("broadcast_in_dim", t, {"broadcast_dimensions": [1, 2]}, [x[0, :, :1]],
              lax.broadcast_in_dim(x[0, :, :1], (2, 3, 5), (1, 2)))
        c.add("slice", t, {"start_indices": [0, 1, 0], "limit_indices": [2, 3, 4],
                           "strides": [1, 2, 3]}, [x],
              lax.slice(x, (0, 1, 0), (2, 3, 4), (1, 2, 3)))
        c.add("concatenate", t, {"dimension": 1}, [x, x[:, :1], x[:, :0]],
              lax.concatenate([x, x[:, :1], x[:, :0]], 1))
        low, high, inner = [1, -1, 0], [-1, 2, 0], [2, 0, 1]
        c.add("pad", t, {"edge_padding_low": low, "edge_padding_high": high,
                         "interior_padding": inner}, [x, fill],
              lax.pad(x, fill, list(zip(low, high, inner))))
        pred = c.data("bool", (2, 3, 4))
        y = c.data(t, (2, 3, 4))
        c.add("select", t, {}, [pred, x, y], lax.select(pred, x, y))
        if t != "bool":
            c.add("iota", t, {"iota_dimension": 1}, [], lax.broadcasted_iota(t, (2, 5), 1))
            for way in ("EQ", "NE", "LT", "LE", "GT", "GE"):
                c.add("compare", f"{t}.{way}", {"comparison_direction": way}, [x, y],
                      getattr(lax, way.lower())(x, y))


def gather_scatter(c):
    indices = jnp.asarray([[0], [3], [1], [1], [-2], [9]], jnp.int32)
    for t in ALL:
        x = c.data(t, (4, 3), -2, 2)  # products of several stay exact in 16 bits
        dims = lax.GatherDimensionNumbers((1,), (0,), (0,))
        attrs = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0],
                 "index_vector_dim": 1, "slice_sizes": [1, 3]}
        for mode in ("clip", "fill"):
            y = lax.gather(x, indices, dims, (1, 3), mode=mode,
                           fill_value=0 if mode == "fill" else None)
            c.add("gather", f"{t}.{mode}", {**attrs, "mode": mode}, [x, indices], y)
        updates = c.data(t, (6, 3), -2, 2)
        dims = lax.ScatterDimensionNumbers((1,), (0,), (0,))
        attrs = {"update_window_dims": [1], "inserted_window_dims": [0],
                 "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1}
        ways = {"add": lax.scatter_add, "multiply": lax.scatter_mul, "minimum": lax.scatter_min,
                "maximum": lax.scatter_max}
        for way, mode in itertools.product(ways if t != "bool" else (), ("clip", "fill")):
            y = ways[way](x, indices, updates, dims, mode="drop" if mode == "fill" else mode)
            c.add("scatter", f"{t}.{way}.{mode}", {**attrs, "computation": way, "mode": mode},
                  [x, indices, updates], y)


def lamina_name(dtype):
    """Lamina's name of a dtype: f32, i8 ..."""
    return dtype.replace("float", "f").replace("uint", "u").replace("int", "i")


def reductions(c):
    ways = {"add": jnp.sum, "multiply": jnp.prod, "maximum": jnp.max, "minimum": jnp.min}
    for t in ALL:
        for dims in ([0], [1, 2], [0, 1, 2], []):
            text = "x".join(map(str, dims)) or "none"
            x = c.data(t, (2, 3, 4), -2, 2)
            for way, f in (ways if t != "bool" else {}).items():
                wide = x.astype("float32") if t in ("float16", "bfloat16") else x
                y = f(wide, axis=tuple(dims)).astype(t) if dims else x
                c.add("reduce", f"{t}.{way}.{text}", {"computation": way, "dimensions": dims}, [x], y)
            for way, f in (("and", lax.bitwise_and), ("or", lax.bitwise_or)):
                if t in FLOATS:
                    continue
                start = ~jnp.zeros((), t) if way == "and" else jnp.zeros((), t)
                y = lax.reduce(x, start, f, dims)
                c.add("reduce", f"{t}.{way}.{text}", {"computation": way, "dimensions": dims}, [x], y)
        for op in ("argmax", "argmin"):
            if t != "bool":
                x = c.data(t, (3, 5), -2, 2)
                y = getattr(lax, op)(x, 1, jnp.int32)
                c.add(op, f"{t}.ties", {"dimension": 1}, [x], y)


WINDOWS = {
    "plain": dict(window_dimensions=[2, 2], window_strides=[2, 2], padding=[0, 0, 0, 0]),
    "overlap": dict(window_dimensions=[3, 2], window_strides=[1, 1], padding=[1, 1, 0, 1]),
    "dilated": dict(window_dimensions=[2, 3], window_strides=[2, 1], padding=[1, 2, 2, 1],
                    base_dilations=[2, 1], window_dilations=[1, 2]),
    "cut": dict(window_dimensions=[2, 2], window_strides=[1, 2], padding=[-1, 0, 0, -1]),
}


def window_args(w):
    flat = w["padding"]
    return dict(window_dimensions=w["window_dimensions"], window_strides=w["window_strides"],
                padding=list(zip(flat[::2], flat[1::2])),
                base_dilation=w.get("base_dilations", [1, 1]),
                window_dilation=w.get("window_dilations", [1, 1]))


def window_position(x, w, larger):
    """reduce_window_arg by its definition: first winner in row-major order; NaN wins; holes never."""
    a = window_args(w)
    size = [lo + (n - 1) * b + 1 + hi for n, b, (lo, hi) in
            zip(x.shape, a["base_dilation"], a["padding"])]
    extent = [(k - 1) * d + 1 for k, d in zip(a["window_dimensions"], a["window_dilation"])]
    out = [max(0, (s - e) // st + 1) for s, e, st in zip(size, extent, a["window_strides"])]
    y = np.zeros(out, np.int32)
    for at in np.ndindex(*out):
        best = None
        for p, k in enumerate(np.ndindex(*a["window_dimensions"])):
            raw = [o * st + i * d - lo for o, st, i, d, (lo, _) in zip(
                at, a["window_strides"], k, a["window_dilation"], a["padding"])]
            cell = [divmod(r, b) for r, b in zip(raw, a["base_dilation"])]
            if any(m or not 0 <= q < n for (q, m), n in zip(cell, x.shape)):
                continue
            v = float(x[tuple(q for q, _ in cell)])
            if best is None or (not math.isnan(best) and (
                    math.isnan(v) or (v > best if larger else v < best))):
                best, y[at] = v, p
    return y


def windows(c):
    identity = {"add": (0, 0), "maximum": (-np.inf, np.inf), "minimum": (np.inf, -np.inf)}
    functions = {"add": lax.add, "maximum": lax.max, "minimum": lax.min}
    for name, w in WINDOWS.items():
        for t, way in itertools.product(["float64", "float32", "int32", "uint8"], functions):
            x = c.data(t, (5, 6))
            start = identity[way][0]
            if np.isinf(start) and not t.startswith("float"):
                start = np.iinfo(t).min if start < 0 else np.iinfo(t).max
            y = lax.reduce_window(x, jnp.asarray(start, t), functions[way], **window_args(w))
            c.add("reduce_window", f"{t}.{way}.{name}", {"computation": way, **w}, [x], y)
        for t, way in itertools.product(["float64", "float32", "int32"], ("maximum", "minimum")):
            x = np.array(c.data(t, (5, 6), -2, 2))
            if t != "int32":
                x[1, 2] = x[3, 3] = np.nan
            c.add("reduce_window_arg", f"{t}.{way}.{name}", {"computation": way, **w}, [x],
                  window_position(x, w, way == "maximum"))


def ordering(c):
    for t in FLOATS + INTS:
        x, y = c.data(t, (7, 3), -2, 2), c.data(t, (7, 3), -2, 2)
        i = lax.broadcasted_iota(jnp.int32, (7, 3), 0)
        for keys in (1, 2):
            c.add("sort", f"{t}.keys{keys}", {"dimension": 0, "num_keys": keys, "is_stable": 1},
                  [x, y, i], lax.sort([x, y, i], dimension=0, is_stable=True, num_keys=keys))
        c.add("top_k", t, {"k": 3}, [y.T], lax.top_k(y.T, 3))
    for t in ("float64", "float32", "int32", "uint8"):
        x = np.asarray(c.data(t, (4, 5)))
        for reverse, exclusive in itertools.product((0, 1), (0, 1)):
            way = x[:, ::-1] if reverse else x
            y = np.cumsum(way, axis=1, dtype=x.dtype) - (way if exclusive else 0)
            y = (y[:, ::-1] if reverse else y).astype(x.dtype)
            c.add("cumsum", f"{t}.{reverse}{exclusive}",
                  {"dimension": 1, "reverse": reverse, "exclusive": exclusive}, [x], y)


def contractions(c):
    for t, out in (("float64", "float64"), ("float32", "float32"), ("float32", "float64"),
                   ("float16", "float32"), ("bfloat16", "float32"), ("int8", "int32"),
                   ("uint8", "int32"), ("int64", "int64")):
        make = c.real if t in FLOATS else c.data
        x, y = make(t, (2, 3, 4, 5)), make(t, (5, 2, 4, 7))
        wide = [v.astype(out) for v in (x, y)]
        dims = (((2, 3), (2, 0)), ((0,), (1,)))
        z = lax.dot_general(*wide, dims, precision=lax.Precision.HIGHEST)
        c.add("dot_general", f"{t}.{out}",
              {"lhs_batching_dimensions": [0], "rhs_batching_dimensions": [1],
               "lhs_contracting_dimensions": [2, 3], "rhs_contracting_dimensions": [2, 0],
               "out_dtype": lamina_name(out)}, [x, y], z, close(out, 20, "20 products") if out in EPS else BITS)
    spec = dict(lhs_spec=[0, 3, 1, 2], rhs_spec=[3, 2, 0, 1], out_spec=[0, 3, 1, 2])
    numbers = ("NHWC", "HWIO", "NHWC")
    kinds = {
        "strided": dict(window_strides=[2, 1], padding=[1, 1, 0, 1]),
        "lhs_dilated": dict(padding=[1, 2, 2, 1], lhs_dilation=[2, 3]),
        "rhs_dilated": dict(padding=[2, 2, 1, 1], rhs_dilation=[2, 1]),
        "cut": dict(window_strides=[1, 2], padding=[-1, 1, 1, -2]),
        "groups": dict(padding=[1, 1, 1, 1], feature_group_count=2),
        "batch_groups": dict(padding=[1, 1, 1, 1], batch_group_count=2),
    }
    for (name, k), t in itertools.product(kinds.items(), ("float64", "float32")):
        groups = k.get("feature_group_count", 1)
        x, y = c.real(t, (2, 5, 6, 4)), c.real(t, (3, 3, 4 // groups, 6))
        z = lax.conv_general_dilated(
            x, y, k.get("window_strides", [1, 1]), list(zip(k["padding"][::2], k["padding"][1::2])),
            k.get("lhs_dilation"), k.get("rhs_dilation"), numbers, groups,
            k.get("batch_group_count", 1), precision=lax.Precision.HIGHEST)
        c.add("convolution", f"{t}.{name}", {**spec, **k}, [x, y], z,
              close(t, 36, "36 products"))


def empty_and_single(c):
    for shape in ((0,), (0, 3), (3, 0), (1,), (1, 1, 1), ()):
        text = "x".join(map(str, shape)) or "scalar"
        for t in ("float32", "int32"):
            x = c.data(t, shape)
            c.add("add", f"{t}.{text}", {}, [x, x], x + x)
            dims = list(range(len(shape)))
            c.add("reduce", f"{t}.add.{text}.all", {"computation": "add", "dimensions": dims}, [x],
                  jnp.sum(x).astype(t))
            c.add("reshape", f"{t}.{text}", {}, [x], x.reshape((1, *shape)))
            c.add("transpose", f"{t}.{text}", {"permutation": dims[::-1]}, [x],
                  lax.transpose(x, dims[::-1]))
    for m, k, n in ((0, 3, 2), (2, 0, 3), (1, 1, 1)):
        x, y = c.data("float32", (m, k)), c.data("float32", (k, n))
        c.add("dot_general", f"float32.{m}.{k}.{n}", {"lhs_contracting_dimensions": [1],
              "rhs_contracting_dimensions": [0]}, [x, y], lax.dot(x, y))


def main():
    c = Cases()
    for part in (movement, gather_scatter, reductions, windows, ordering, contractions,
                 empty_and_single):
        part(c)
    c.group.write()


if __name__ == "__main__":
    main()
