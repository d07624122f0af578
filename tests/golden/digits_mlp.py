#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""200 training steps of digits-mlp with dropout in plain JAX, in f64 and in f32.

    python3 tests/golden/digits_mlp.py

Writes digits_mlp.{safetensors,json} and the start weights digits_mlp_init_{f64,f32}.safetensors.
Made with jax 0.10.2 and numpy 2.4.6 (requirements.txt), on one thread.
"""
import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np

import train
from group import HERE, Group, array, read_group, tensor, write_tensors

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_threefry_partitionable", True)

SEED = 1234
STEPS = 200
KEEP = 0.9
OPTIMIZER = {
    "type": "sgd", "momentum": 0.9, "nesterov": False, "learning_rate": 0.1,
    "l2_regularizer_weight": 1e-4, "clip_gradient_norm_to_value": 1.0,
    "enable_skip_step_on_gradient_anomalies": True,
    "schedule": {"type": "linear_rampup_cosine_decay", "warmup_steps": 20, "decay_start": 20,
                 "decay_end": 200, "max": 1.0, "min_ratio": 0.0},
}
MODEL = {
    "type": "classification", "name": "model",
    "network": {"type": "sequential", "layers": [
        {"type": "flatten", "maps": "(B, 8, 8, 1) -> (B, 64)"},
        {"type": "feed_forward", "input_dims": 64, "output_dims": 128, "activation": "relu"},
        {"type": "dropout", "keep_prob": KEEP},
        {"type": "feed_forward", "input_dims": 128, "output_dims": 64, "activation": "relu"},
        {"type": "dropout", "keep_prob": KEEP}]},
    "softmax": {"type": "softmax", "input_dims": 64, "num_classes": 10, "has_bias": True},
}
DATA = {
    "file": "tests/data/digits.npz", "batch_size": train.BATCH, "scale": "inputs / 16",
    "train": "rows with index mod 5 != 0 in file order (1437), no shuffling; the remainder of an "
             "epoch is dropped (22 batches an epoch); batch of step i starts at (i mod 22) * 64",
    "test": "rows with index mod 5 == 0 in file order (360)", "weights": "all 1",
}


def initial_weights():
    rng = np.random.default_rng(20261130)
    weights = {}
    for path, n_in, n_out in (("network.layers_1", 64, 128), ("network.layers_3", 128, 64),
                              ("softmax.logits_ffn", 64, 10)):
        weights[f"{path}.linear.w"] = train.gaussian(rng, (n_in, n_out), n_in)
        weights[f"{path}.bias.b"] = train.gaussian(rng, (n_out,), 100)
    return weights


def affine(p, path, x):
    return x @ p[f"{path}.linear.w"] + p[f"{path}.bias.b"]


def forward(p, x, labels, cell):
    """(loss, (per-example xent, accuracy)); cell None: evaluation, dropout is the identity."""
    h = x.reshape(x.shape[0], -1)
    for path in ("network.layers_1", "network.layers_3"):
        h = train.relu(affine(p, path, h))
        if cell is not None:
            h = train.dropout(cell, h, KEEP)
    loss, xent, accuracy = train.softmax_xent(affine(p, "softmax.logits_ffn", h), labels,
                                              jnp.ones(len(x), x.dtype))
    return loss, (xent, accuracy)


def make_step(dtype):
    def step(params, state, key, i, x, labels):
        cell = train.step_cell(key, i)
        value = jax.value_and_grad(forward, has_aux=True)
        (loss, (_, accuracy)), grads = value(params, x, labels, cell)
        params, state, log = train.sgd_step(params, grads, state, OPTIMIZER, dtype)
        log = {"loss": loss, "accuracy": accuracy, "grad_norm": log["grad_norm"],
               "learning_rate": log["used_learning_rate"]}  # no step is skipped: lr(step)
        return params, state, log, grads, jnp.stack(cell.drawn)

    return jax.jit(step)


def run(weights, dtype):
    """(logs by name, key draws, first gradients, final weights)."""
    inputs, labels, _, _ = train.digits()
    params = {k: jnp.asarray(v, dtype) for k, v in weights.items()}
    state, key, step = train.initial_state(params), jax.random.PRNGKey(SEED), make_step(dtype)
    logs, draws, first = [], [], None
    for i in range(STEPS):
        x, y = train.batch(inputs, labels, i, dtype)
        params, state, log, grads, drawn = step(params, state, key, i, x, y)
        first = first or grads
        logs.append(log)
        draws.append(drawn)
    columns = {k: np.array([log[k] for log in logs]) for k in logs[0]}
    return columns, np.array(draws), first, params


def evaluate(params, dtype):
    _, _, inputs, labels = train.digits()
    x = jnp.asarray(inputs, dtype) / 16
    loss, (xent, accuracy) = forward(params, x, jnp.asarray(labels), None)
    return {"eval_loss": loss, "eval_accuracy": accuracy, "eval_xent": xent}


def check_schedule():
    """The schedule's formula against praxis' own values (f32)."""
    _, cases, tensors = read_group(HERE, "schedules_praxis")
    found = 0
    for case in cases:
        if case["kind"] == "praxis.LinearRampupCosineDecay" and case["tensors"]:
            config = {"min_ratio": 0.01, **case["attrs"]}  # praxis' default
            name = case.get("alias", {}).get("in/step", f"{case['id']}/in/step")
            steps = array(tensors[name])
            want = array(tensors[f"{case['id']}/out/value"])
            got = [train.rampup_cosine(s, config, jnp.float64) for s in steps]
            np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-8)
            found += 1
    assert found


def spread(weights, dtype, columns):
    """Largest change of the loss curve when every start weight moves by one unit in the last place.

    A correct implementation sums in another order, which moves the curve by about as much.
    """
    rng = np.random.default_rng(1)
    moved = {k: np.nextafter(v.astype(dtype), rng.choice([-np.inf, np.inf], v.shape).astype(dtype))
             for k, v in weights.items()}
    other = run(moved, dtype)[0]
    return float(np.max(np.abs(other["loss"] - columns["loss"])))


def main():
    check_schedule()
    weights = initial_weights()
    group = Group("digits_mlp", "jax", (jax, np), "var is in the plain files digits_mlp_init_*; "
                  "names drop the root's name. out/<name>[i] belongs to step i (count from 0): "
                  "loss, accuracy and grad_norm (before clipping) are those of the batch before "
                  "its update; eval_*: the test split with the final weights, no dropout. "
                  "key/draws[i]: the keys of the dropout layers in forward order. grad/<path>: "
                  "raw gradient of step 0. final/<path>: weights after the last step.", SEED)
    for name, dtype, tolerance in (
            ("f64", jnp.float64, {"mode": "close", "rtol": 1e-10, "atol": 1e-10,
                                  "why": "float64, 200 steps: order of summation and libm"}),
            ("f32", jnp.float32, {"mode": "close", "rtol": 5e-5, "atol": 5e-5,
                                  "why": "float32, 200 steps: attrs.spread is the change of the "
                                         "loss when the start moves by one ulp; every step rounds "
                                         "as much again, so times 200"})):
        columns, draws, first, final = run(weights, dtype)
        moved = spread(weights, dtype, columns)
        print(name, "loss", columns["loss"][[0, 1, -1]], "accuracy", columns["accuracy"][-1],
              "one-ulp spread", moved)
        attrs = {"dtype": name, "steps": STEPS, "key": [0, SEED], "layout": "partitionable",
                 "init": f"digits_mlp_init_{name}.safetensors", "spread": moved,
                 "model": MODEL, "learner": OPTIMIZER, "data": DATA}
        out = {**columns, **evaluate(final, dtype)}
        group.add(name, "train", attrs, tolerance,
                  {"key": {"draws": draws}, "out": out, "grad": first, "final": final})
        np_dtype = np.dtype(dtype)
        write_tensors(HERE / f"digits_mlp_init_{name}.safetensors",
                      {k: tensor(v.astype(np_dtype)) for k, v in weights.items()})
    group.write()


if __name__ == "__main__":
    main()
