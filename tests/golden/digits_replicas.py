#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training on one and on two replicas in plain JAX: an MLP with dropout, a conv net with batch norm.

    python3 tests/golden/digits_replicas.py

Writes digits_replicas.{safetensors,json}; start weights are digits_mlp_init_f64 and
digits_cnn_bn_init_f64. Made with jax 0.10.2 and numpy 2.4.6 (requirements.txt), on one thread.

All replicas are computed in one function, so that no collective is needed: replica r of N has rows
r B / N to (r + 1) B / N - 1 of the batch and the key fold_in (key, r), from which it goes on as
train.py says. Its loss counts by its weight over the weight of all. Gradients are those of the sum.
Moving statistics: old + mean over the replicas of (new - old). Metrics: sum (v w) / (sum w + 1e-8).
Row i of a batch weighs (i mod 3 + 1) / 2. replicas 0: no axis is named, so no key is folded by a rank.
"""
import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np

import digits_cnn_bn as cnn
import digits_mlp as mlp
import train
from group import HERE, Group, array, read_tensors

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_threefry_partitionable", True)

SEED = 1234
MLP_OPTIMIZER = mlp.OPTIMIZER
CNN_OPTIMIZER = {
    **cnn.OPTIMIZER, "momentum": 0.9, "learning_rate": 0.02, "clip_gradient_norm_to_value": 1.0,
}
RAMP = {"warmup_steps": 0, "decay_start": 1 << 30, "decay_end": 1 << 31, "max": 1.0,
        "min_ratio": 0.0}  # constant 1


def mlp_forward(learnable, moving, x, labels, weights, cell):
    h = x.reshape(x.shape[0], -1)
    for path in ("network.layers_1", "network.layers_3"):
        h = train.dropout(cell, train.relu(mlp.affine(learnable, path, h)), mlp.KEEP)
    logits = mlp.affine(learnable, "softmax.logits_ffn", h)
    loss, _, accuracy = train.softmax_xent(logits, labels, weights)
    return loss, accuracy, moving


def cnn_forward(learnable, moving, x, labels, weights, cell):
    p = {**learnable, **moving}
    h = jax.lax.conv_general_dilated(x, p[f"{cnn.CONV}.w"], (1, 1), "SAME",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    h, moving = cnn.batch_norm(p, h, True)
    h = cnn.max_pool(train.relu(h)).reshape(x.shape[0], -1)
    logits = h @ p[f"{cnn.HEAD}.linear.w"] + p[f"{cnn.HEAD}.bias.b"]
    loss, _, accuracy = train.softmax_xent(logits, labels, weights)
    return loss, accuracy, moving


def make_step(forward, optimizer, replicas, dtype):
    n = max(replicas, 1)
    config = {**optimizer}
    if config["schedule"]["type"] == "constant":
        config["schedule"] = RAMP

    def everything(learnable, moving, key, i, x, labels, weights):
        """(weighted loss over all replicas, (accuracy, new moving statistics, keys))."""
        rows, total = len(x) // n, jnp.sum(weights)
        loss, right, news, drawn = 0, 0, [], []
        for r in range(n):
            part = slice(r * rows, (r + 1) * rows)
            own = jax.random.fold_in(key, r) if replicas else key
            cell = train.step_cell(own, i)
            value, accuracy, new = forward(learnable, moving, x[part], labels[part],
                                           weights[part], cell)
            w = jnp.sum(weights[part])
            loss += value * (w / total)
            right += accuracy * w
            news.append(new)
            drawn += cell.drawn
        accuracy = right / (total + 1e-8) if replicas else right / total
        moving = {k: old + sum(new[k] - old for new in news) / n for k, old in moving.items()}
        return loss, (accuracy, moving, jnp.array(drawn, jnp.uint32).reshape(-1, 2))

    def step(learnable, moving, state, key, i, x, labels, weights):
        value = jax.value_and_grad(everything, has_aux=True)
        (loss, (accuracy, moving, drawn)), grads = value(learnable, moving, key, i, x, labels,
                                                         weights)
        learnable, state, log = train.sgd_step(learnable, grads, state, config, dtype)
        log = {"loss": loss, "accuracy": accuracy, "learning_rate": log["used_learning_rate"]}
        return learnable, moving, state, log, drawn

    return jax.jit(step)


def run(forward, optimizer, init, replicas, steps, dtype):
    tensors = {k: array(t) for k, t in read_tensors(HERE / init).items()}
    start = {k: jnp.asarray(v, dtype) for k, v in tensors.items()}
    moving = {k: v for k, v in start.items() if ".moving_" in k}
    learnable = {k: v for k, v in start.items() if k not in moving}
    inputs, labels, _, _ = train.digits()
    weights = jnp.asarray(np.arange(train.BATCH) % 3 + 1, dtype) / 2
    step = make_step(forward, optimizer, replicas, dtype)
    state, key, logs, first = train.initial_state(learnable), jax.random.PRNGKey(SEED), [], None
    for i in range(steps):
        x, y = train.batch(inputs, labels, i, dtype)
        learnable, moving, state, log, drawn = step(learnable, moving, state, key, i, x, y, weights)
        first = drawn if first is None else first
        logs.append(log)
    columns = {k: np.array([log[k] for log in logs]) for k in logs[0]}
    return columns, first, {**learnable, **moving}


def main():
    group = Group("digits_replicas", "jax", (jax, np), "As digits_mlp and digits_cnn_bn, with the "
                  "batch divided among attrs.replicas and uneven weights; final/<path>: variables "
                  "of up to 1280 elements after the last step. key/drawn: the dropout layers' keys "
                  "of step 0, replica after replica.", SEED)
    jobs = (
        ("mlp-1-f64", mlp_forward, mlp.MODEL, MLP_OPTIMIZER, "digits_mlp_init_f64", 0, 200, "f64"),
        ("mlp-2-f64", mlp_forward, mlp.MODEL, MLP_OPTIMIZER, "digits_mlp_init_f64", 2, 200, "f64"),
        ("cnn-1-f64", cnn_forward, cnn.MODEL, CNN_OPTIMIZER, "digits_cnn_bn_init_f64", 0, 200,
         "f64"),
        ("cnn-2-f64", cnn_forward, cnn.MODEL, CNN_OPTIMIZER, "digits_cnn_bn_init_f64", 2, 200,
         "f64"),
        ("mlp-2-f32", mlp_forward, mlp.MODEL, MLP_OPTIMIZER, "digits_mlp_init_f64", 2, 20, "f32"),
        ("cnn-1-f32", cnn_forward, cnn.MODEL, CNN_OPTIMIZER, "digits_cnn_bn_init_f64", 0, 20,
         "f32"),
        ("cnn-2-f32", cnn_forward, cnn.MODEL, CNN_OPTIMIZER, "digits_cnn_bn_init_f64", 2, 20,
         "f32"),
    )
    for name, forward, model, optimizer, init, replicas, steps, dtype in jobs:
        real = jnp.float64 if dtype == "f64" else jnp.float32
        columns, drawn, final = run(forward, optimizer, f"{init}.safetensors", replicas, steps,
                                    real)
        print(name, columns["loss"][[0, 1, -1]], columns["accuracy"][-1])
        tolerance = ({"mode": "close", "rtol": 1e-10, "atol": 1e-10,
                      "why": "float64, 200 steps: order of summation and libm"}
                     if dtype == "f64" else
                     {"mode": "close", "rtol": 1e-3, "atol": 1e-6,
                      "why": "float32, 20 steps with momentum: order of summation"})
        attrs = {"dtype": dtype, "steps": steps, "replicas": replicas, "key": [0, SEED],
                 "layout": "partitionable", "init": f"{init}.safetensors", "model": model,
                 "learner": optimizer, "weights": "row i of a batch: (i mod 3 + 1) / 2"}
        small = {k: v for k, v in final.items() if v.size <= 1280}
        group.add(name, "train", attrs, tolerance,
                  {"key": {"drawn": drawn}, "out": columns, "final": small})
    group.write()


if __name__ == "__main__":
    main()
