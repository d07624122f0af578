#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options of layers that the group `layers` does not have: other dtypes, our own layers, schedules.

    python3 tests/golden/layer_cases.py

Writes layer_cases.{safetensors,json}.  Made with jax 0.10.2, optax 0.2.8, numpy 2.4.6 and
jax-bitempered-loss 0.0.2 (requirements.txt); Threefry keys in the original layout, as in `layers`.
"""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax_bitempered_loss import loss as tempered

from group import Group

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_threefry_partitionable", False)

DOC = """Kind lamina.<layer>; attrs: config (ours), dtype of the model, do_eval.  Sections as in `layers`:
grad/* is the gradient of sum (out * cotangent)."""
F64 = {"mode": "close", "rtol": 1e-11, "atol": 1e-12, "why": "the same formula in f64"}
F32 = {"mode": "close", "rtol": 3e-6, "atol": 1e-6, "why": "the same formula in f32"}
BF16 = {"mode": "ulp", "ulp": 1, "why": "the same formula in bf16; a product more or less is rounded"}
rng = np.random.default_rng(20261205)
group = Group("layer_cases", "jax+optax+jax_bitempered_loss", [jax, np, optax], DOC, 20261205)


def normal(*shape, dtype=np.float64):
    return jnp.asarray(rng.normal(size=shape), dtype)


def add(id, config, call, tolerance, *, var=None, args=None, key=None, fixed=(), do_eval=False,
        updated=None, aux=None):
    """call (var, args, key) -> {"y...": array}; args named in `fixed` get no gradient; aux: the output
    that is an aux loss too."""
    var, args = var or {}, args or {}
    real = lambda d: {k: v for k, v in d.items()
                      if jnp.issubdtype(v.dtype, jnp.floating) and k not in fixed}
    free = {"var": real(var), "in": real(args)}
    run = lambda f: call({**var, **f["var"]}, {**args, **f["in"]}, key)
    out, pull = jax.vjp(run, free)
    cotangent = {k: jnp.asarray(rng.normal(size=v.shape), v.dtype) for k, v in out.items()
                 if jnp.issubdtype(v.dtype, jnp.floating)}
    zero = lambda v: np.zeros(v.shape, jax.dtypes.float0)
    grads, = pull({k: cotangent.get(k, zero(v)) for k, v in out.items()})
    first = next(iter({**args, **var}.values()))
    dtype = "f64" if first.dtype == jnp.float64 or tolerance is F64 else "f32"
    sections = {"var": var, "in": args, "out": out, "cotangent": cotangent,
                "grad": {f"{s}:{k}": g for s, gs in grads.items() for k, g in gs.items()}}
    if key is not None:
        sections["key"] = {"0:/": key}
    if aux:
        sections["aux_loss"] = {"loss.value": out[aux], "loss.weight": np.ones((), out[aux].dtype)}
    if updated:
        sections["updated"] = updated
    attrs = {"config": config, "dtype": dtype, "do_eval": do_eval}
    group.add(id, config["type"], attrs, tolerance, {s: v for s, v in sections.items() if v})


# --- random layers -----------------------------------------------------------------------------------

def dropout(keep, shape=None, transpose=False):
    def call(var, args, key):
        x = args["x"]
        u = keep + jax.random.uniform(key, shape or x.shape, x.dtype)
        u = jnp.transpose(u, (0, 1, 3, 2)) if transpose else u
        return {"y": x * jnp.floor(u) / keep}
    return call


def drops():
    key = lambda: jnp.asarray(rng.integers(0, 2**32, 2), jnp.uint32)
    for name, dtype, tolerance in [("bf16", jnp.bfloat16, BF16), ("f64", jnp.float64, F64)]:
        add(f"dropout.{name}", {"type": "lamina.dropout", "keep_prob": 0.7}, dropout(0.7), tolerance,
            args={"x": normal(7, 33, dtype=dtype)}, key=key())
        add(f"dropout.{name}.noise_shape",
            {"type": "lamina.dropout", "keep_prob": 0.4, "noise_shape": [1, 33],
             "noise_shape_broadcast_dims": [0]},
            dropout(0.4, (1, 33)), tolerance, args={"x": normal(3, 33, dtype=dtype)}, key=key())

        def residual(var, args, key):
            x, r = args["inputs"], args["residual"]
            u = 0.6 + jax.random.uniform(key, (x.shape[0], 1), x.dtype)
            return {"y": x + 0.5 * (r / 0.6 * jnp.floor(u))}
        add(f"stochastic_residual.{name}",
            {"type": "lamina.stochastic_residual", "residual_weight": 0.5, "survival_prob": 0.6},
            residual, tolerance, key=key(),
            args={"inputs": normal(9, 3, dtype=dtype), "residual": normal(9, 3, dtype=dtype)})
    add("dropout.transpose_qk", {"type": "lamina.dropout", "keep_prob": 0.5, "transpose_qk": True},
        dropout(0.5, None, True), F32, args={"x": normal(2, 3, 4, 4, dtype=jnp.float32)}, key=key())


# --- losses of numbers ------------------------------------------------------------------------------

def losses():
    args = {"predictions": normal(6, 4), "targets": normal(6, 4)}
    pair = lambda f: lambda var, a, key: {"y": f(a["predictions"], a["targets"])}
    add("squared_error", {"type": "lamina.squared_error"}, pair(optax.squared_error), F64, args=args)
    add("absolute_error", {"type": "lamina.absolute_error"}, pair(lambda y, t: jnp.abs(y - t)), F64,
        args=args)
    for delta in (1.0, 0.5):
        add(f"huber_loss.{delta}", {"type": "lamina.huber_loss", "delta": delta},
            pair(lambda y, t, d=delta: optax.huber_loss(y, t, delta=d)), F64, args=args)


def regression():
    network = {"type": "lamina.linear", "input_dims": 3, "output_dims": 2}

    def call(var, a, key):
        y = a["inputs"] @ var["network.w"]
        w = a["weights"][:, None] * (1 - a["paddings"])  # (B, T)
        e = optax.squared_error(y, a["targets"]).mean(-1)
        each = w.sum(1)
        return {"y.metrics.loss.value": (e * w).sum() / w.sum(), "y.metrics.loss.weight": w.sum(),
                "y.metrics.mean_absolute_error.value":
                    (jnp.abs(y - a["targets"]).mean(-1) * w).sum() / w.sum(),
                "y.per_example.loss": (e * w).sum(1) / jnp.where(each == 0, 1, each),
                "y.per_example.predictions": y, "y.per_example.weights": each}
    paddings = jnp.asarray([[0, 0, 0, 1], [0, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]], jnp.float64)
    add("regression.padded", {"type": "lamina.regression", "network": network}, call, F64,
        var={"network.w": normal(3, 2)}, fixed=("paddings",),
        args={"inputs": normal(4, 4, 3), "targets": normal(4, 4, 2), "paddings": paddings,
              "weights": jnp.asarray([1.0, 0.5, 2.0, 1.0])})

    def scalar(var, a, key):
        y = (a["inputs"] @ var["network.w"])[:, 0]
        return {"y.metrics.loss.value": optax.huber_loss(y, a["targets"], delta=0.5).mean(),
                "y.metrics.loss.weight": jnp.asarray(5.0),
                "y.per_example.loss": optax.huber_loss(y, a["targets"], delta=0.5),
                "y.per_example.predictions": y, "y.per_example.weights": jnp.ones(5)}
    add("regression.scalar",
        {"type": "lamina.regression", "network": {**network, "output_dims": 1},
         "loss": {"type": "lamina.huber_loss", "delta": 0.5}},
        scalar, F64, var={"network.w": normal(3, 1)},
        args={"inputs": normal(5, 3), "targets": normal(5)})


# --- heads in f64 -----------------------------------------------------------------------------------

def multilabel():
    def call(var, a, key):
        logits = a["inputs"] @ var["head.logits_ffn.linear.w"] + var["head.logits_ffn.bias.b"]
        smooth = a["labels"] * 0.8 + 0.1
        xent = optax.sigmoid_binary_cross_entropy(logits, smooth).sum(-1)
        w, right = a["weights"], (logits > 0) == (a["labels"] > 0.5)
        mean = lambda v: (v * w).sum() / w.sum()
        return {"y.metrics.loss.value": mean(xent), "y.metrics.loss.weight": w.sum(),
                "y.metrics.accuracy.value": mean(right.astype(jnp.float64).mean(-1)),
                "y.metrics.exact_match.value": mean(right.all(-1).astype(jnp.float64)),
                "y.metrics.exact_match.weight": w.sum(), "y.per_example.xent": xent,
                "y.per_example.logits": logits, "y.per_example.weights": w,
                "y.per_example.predictions": (logits > 0).astype(jnp.int32)}
    labels = jnp.asarray(rng.integers(0, 2, (6, 3)), jnp.float64)
    x = normal(6, 4)
    w = normal(4, 3)
    labels = labels.at[:2].set((x @ w > 0)[:2])  # some rows all right
    add("multilabel", {"type": "lamina.multilabel", "network": {"type": "lamina.identity"},
                       "head": {"type": "lamina.sigmoid_cross_entropy", "input_dims": 4,
                                "num_classes": 3, "label_smoothing_prob": 0.2}},
        call, F64, var={"head.logits_ffn.linear.w": w, "head.logits_ffn.bias.b": 0.01 * normal(3)},
        args={"inputs": x, "labels": labels, "weights": jnp.asarray([1, 1, 1, 0.5, 2, 0.0])},
        fixed=("labels",))


def softmax():
    def call(var, a, key):
        x = a["inputs"] / jnp.sqrt(4.0)
        logits = x @ var["logits_ffn.linear.w"] + var["logits_ffn.bias.b"]
        logits = 2.5 * jnp.tanh(logits / 2.5)
        one = jax.nn.one_hot(a["class_ids"], 7, dtype=jnp.float64)
        wanted = one * 0.85 + (1 - one) * 0.15 / 6
        w = a["class_weights"]
        xent = optax.softmax_cross_entropy(logits, wanted)
        z = (jax.scipy.special.logsumexp(logits, -1) ** 2 * w).sum() / w.sum() * 0.01
        return {"y.avg_xent": (xent * w).sum() / w.sum(), "y.total_weight": w.sum(), "y.z_loss": z,
                "y.logits": logits, "y.log_probs": jax.nn.log_softmax(logits),
                "y.per_example_xent": xent,
                "y.per_example_argmax": jnp.argmax(logits, -1).astype(jnp.int32)}
    add("full_softmax.f64",
        {"type": "lamina.full_softmax", "input_dims": 4, "num_classes": 7, "soft_cap_logits": 2.5,
         "label_smoothing_prob": 0.15, "z_loss_weight": 0.01, "scale_before_logits": True},
        call, F64, var={"logits_ffn.linear.w": normal(4, 7), "logits_ffn.bias.b": normal(7)},
        args={"inputs": normal(3, 5, 4), "class_ids": jnp.asarray(rng.integers(0, 7, (3, 5))),
              "class_weights": jnp.asarray(rng.uniform(0.1, 1, (3, 5)))}, aux="y.z_loss")


def embeddings():
    ids = jnp.asarray([[-1, -7, -8, -20], [0, 6, 7, 100]], jnp.int32)
    inside = (ids >= -7) & (ids < 7)

    def call(var, a, key):
        rows = var["emb_var"][jnp.clip(jnp.where(a["ids"] < 0, a["ids"] + 7, a["ids"]), 0, 6)]
        rows = jnp.where(inside[..., None], rows, jax.lax.stop_gradient(rows))
        return {"y": rows * np.sqrt(3.0)}
    add("embedding.far", {"type": "lamina.embedding", "num_classes": 7, "input_dims": 3,
                          "scale_sqrt_depth": True},
        call, F64, var={"emb_var": normal(7, 3)}, args={"ids": ids})
    few = jnp.asarray([3, 255, 17], jnp.uint8)
    one = lambda var, a, key: {"y": jax.nn.one_hot(a["ids"].astype(int), 300) @ var["emb_var"]}
    add("embedding.u8", {"type": "lamina.embedding", "num_classes": 300, "input_dims": 2,
                         "lookup_style": "matmul"},
        one, F64, var={"emb_var": normal(300, 2)}, args={"ids": few})

    def positional(var, a, key):
        i = jnp.arange(3.0)
        at = a["position"][..., None] * jnp.exp(-i * np.log(1000.0) / 2)
        return {"y": jnp.concatenate([jnp.sin(at), jnp.cos(at)], -1)}
    where = jnp.asarray(rng.integers(0, 900, (2, 5)))
    add("positional_embedding.f64",
        {"type": "lamina.positional_embedding", "embedding_dims": 6, "max_timescale": 1000},
        positional, F64, args={"position": where})

    def rotary(var, a, key):
        at = jnp.arange(5.0)[None, :, None, None] / 10000 ** (jnp.arange(3) / 3)
        p, q = jnp.split(a["x"], 2, -1)
        return {"y": jnp.concatenate([p * jnp.cos(at) - q * jnp.sin(at),
                                      q * jnp.cos(at) + p * jnp.sin(at)], -1)}
    add("rotary_positional_embedding.f64",
        {"type": "lamina.rotary_positional_embedding", "embedding_dims": 6}, rotary, F64,
        args={"x": normal(2, 5, 2, 6)})

    def row(var, a, key):
        return {"y": var["emb_var"][a["position"]]}
    add("trainable_positional_embedding.position",
        {"type": "lamina.trainable_positional_embedding", "embedding_dims": 3, "max_seq_length": 6},
        row, F64, var={"emb_var": normal(6, 3)}, args={"position": jnp.asarray([[5, 0], [2, 2]])})


# --- the bi-tempered loss and its schedule ------------------------------------------------------------

def bi_tempered():
    """t: temperatures that the schedule gives, by hand."""
    logits = normal(4, 5, dtype=jnp.float32) * 3
    labels = jax.nn.one_hot(jnp.asarray([0, 3, 3, 1]), 5, dtype=jnp.float32)
    rough = {"mode": "close", "rtol": 2e-4, "atol": 2e-5, "why": "powers by 1 / (1 - t) in f32"}
    for name, config, count, t in [
            ("start", {"t1": 0.5, "t2": 1.5, "start_step": 2, "end_step": 6}, 2, (1.0, 1.0)),
            ("middle", {"t1": 0.5, "t2": 1.5, "start_step": 2, "end_step": 6}, 4, (0.75, 1.25)),
            ("end", {"t1": 0.5, "t2": 1.5, "start_step": 2, "end_step": 6}, 9, (0.5, 1.5)),
            ("first", {"t1": 0.5, "t2": 1.5}, 0, (0.5, 1.5)),
            ("finite_support", {"t1": 0.5, "t2": 0.75}, 3, (0.5, 0.75)),
            ("one", {}, 3, (1.0, 1.0)),
            ("smooth", {"t1": 0.25, "t2": 2.0, "label_smoothing": 0.1}, 3, (0.25, 2.0))]:
        smoothing = config.get("label_smoothing", 0.0)

        def call(var, a, key):
            return {"y": tempered.bi_tempered_logistic_loss(
                a["logits"], a["labels"], *t, label_smoothing=smoothing)}
        add(f"bi_tempered_loss.{name}", {"type": "lamina.bi_tempered_loss", **config}, call, rough,
            var={"count": jnp.asarray(count, jnp.float32)}, args={"logits": logits, "labels": labels},
            fixed=("labels", "count"), updated={"count": jnp.asarray(count + 1, jnp.float32)})
    evaluated = lambda var, a, key: {"y": tempered.bi_tempered_logistic_loss(
        a["logits"], a["labels"], 0.5, 1.5)}
    add("bi_tempered_loss.eval", {"type": "lamina.bi_tempered_loss", "t1": 0.5, "t2": 1.5,
                                  "start_step": 2, "end_step": 6}, evaluated, rough,
        var={"count": jnp.asarray(2, jnp.float32)}, args={"logits": logits, "labels": labels},
        fixed=("labels", "count"), do_eval=True)


def main():
    for make in (drops, losses, regression, multilabel, softmax, embeddings):
        make()
    with jax.enable_x64(False):  # that library mixes both
        bi_tempered()
    group.write()


if __name__ == "__main__":
    main()
