#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""20 training steps in f64 of a small convolutional net with batch norm and max pool, plain JAX.

    python3 tests/golden/digits_cnn_bn.py

Writes digits_cnn_bn.{safetensors,json} and digits_cnn_bn_init_f64.safetensors.
Made with jax 0.10.2 and numpy 2.4.6 (requirements.txt), on one thread.
"""
import os

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import numpy as np

import train
from group import HERE, Group, tensor, write_tensors

jax.config.update("jax_enable_x64", True)

STEPS = 20
DECAY, EPSILON = 0.99, 1e-3
OPTIMIZER = {
    "type": "sgd", "momentum": 0.0, "nesterov": False, "learning_rate": 0.1,
    "l2_regularizer_weight": 0.0, "clip_gradient_norm_to_value": 0.0,
    "enable_skip_step_on_gradient_anomalies": True,
    "schedule": {"type": "constant", "value": 1.0},
}
MODEL = {
    "type": "classification", "name": "model",
    "network": {"type": "sequential", "layers": [
        {"type": "conv2d", "filter_shape": [3, 3, 1, 8], "filter_stride": [1, 1],
         "padding": "SAME", "bias": False},
        {"type": "batch_norm", "dim": 8, "decay": DECAY, "epsilon": EPSILON},
        {"type": "activation", "function": "relu"},
        {"type": "max_pool", "window_shape": [2, 2], "window_stride": [2, 2], "padding": "VALID"},
        {"type": "flatten", "maps": "(B, 4, 4, 8) -> (B, 128)"}]},
    "softmax": {"type": "softmax", "input_dims": 128, "num_classes": 10, "has_bias": True},
}
CONV, NORM, HEAD = "network.layers_0", "network.layers_1", "softmax.logits_ffn"


def initial_weights():
    rng = np.random.default_rng(20261201)
    return {
        f"{CONV}.w": train.gaussian(rng, (3, 3, 1, 8), 9),
        f"{NORM}.beta": train.gaussian(rng, (8,), 100),
        f"{NORM}.gamma": train.gaussian(rng, (8,), 100),  # effective gamma is 1 + gamma
        f"{NORM}.moving_mean": np.zeros(8, np.float32),
        f"{NORM}.moving_variance": np.ones(8, np.float32),
        f"{HEAD}.linear.w": train.gaussian(rng, (128, 10), 128),
        f"{HEAD}.bias.b": train.gaussian(rng, (10,), 100),
    }


def batch_norm(p, x, training):
    """(normalised x, new moving statistics); moments over all dims but the last, biased."""
    old = p[f"{NORM}.moving_mean"], p[f"{NORM}.moving_variance"]
    mean, var = old
    if training:
        mean = jnp.mean(x, axis=(0, 1, 2))
        var = jnp.mean((x - mean) ** 2, axis=(0, 1, 2))
    y = (x - mean) * (1 + p[f"{NORM}.gamma"]) / jnp.sqrt(var + EPSILON) + p[f"{NORM}.beta"]
    moving = {f"{NORM}.moving_{k}": o * DECAY + b * (1 - DECAY)
              for k, o, b in zip(("mean", "variance"), old, (mean, var))}
    return y, moving


def max_pool(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def forward(learnable, moving, x, labels, training):
    """(loss, (updated moving statistics, per-example xent, accuracy))."""
    p = {**learnable, **moving}
    h = jax.lax.conv_general_dilated(x, p[f"{CONV}.w"], (1, 1), "SAME",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    h, moving = batch_norm(p, h, training)
    h = max_pool(train.relu(h)).reshape(x.shape[0], -1)
    logits = h @ p[f"{HEAD}.linear.w"] + p[f"{HEAD}.bias.b"]
    loss, xent, accuracy = train.softmax_xent(logits, labels, jnp.ones(len(x), x.dtype))
    return loss, (moving, xent, accuracy)


@jax.jit
def step(params, moving, state, x, labels):
    value = jax.value_and_grad(forward, has_aux=True)
    (loss, (moving, _, accuracy)), grads = value(params, moving, x, labels, True)
    config = {**OPTIMIZER, "schedule": {"warmup_steps": 0, "decay_start": 1 << 30,
                                        "decay_end": 1 << 31, "max": 1.0, "min_ratio": 0.0}}
    params, state, log = train.sgd_step(params, grads, state, config, jnp.float64)
    log = {"loss": loss, "accuracy": accuracy, "grad_norm": log["grad_norm"],
           "learning_rate": log["used_learning_rate"],
           "moving_mean": moving[f"{NORM}.moving_mean"],
           "moving_variance": moving[f"{NORM}.moving_variance"]}
    return params, moving, state, log, grads


def run(weights):
    """(logs by name, first gradients, final learnables, final moving statistics)."""
    inputs, labels, _, _ = train.digits()
    everything = {k: jnp.asarray(v, jnp.float64) for k, v in weights.items()}
    moving = {k: v for k, v in everything.items() if ".moving_" in k}
    params = {k: v for k, v in everything.items() if k not in moving}
    state, logs, first = train.initial_state(params), [], None
    for i in range(STEPS):
        x, y = train.batch(inputs, labels, i, jnp.float64)
        params, moving, state, log, grads = step(params, moving, state, x, y)
        first = first or grads
        logs.append(log)
    return {k: np.array([log[k] for log in logs]) for k in logs[0]}, first, params, moving


def main():
    weights = initial_weights()
    columns, first, params, moving = run(weights)
    _, _, inputs, labels = train.digits()
    loss, (_, xent, accuracy) = forward(params, moving, jnp.asarray(inputs, jnp.float64) / 16,
                                        jnp.asarray(labels), False)
    print("loss", columns["loss"][[0, 1, -1]], "eval", loss, accuracy)
    group = Group("digits_cnn_bn", "jax", (jax, np), "As digits_mlp; out/moving_*[i]: moving "
                  "statistics of network.layers_1 after step i; final/<path> holds them too. "
                  "eval_*: the test split with the final weights and moving statistics. No keys "
                  "are drawn but the one of binding.", 0)
    attrs = {"dtype": "f64", "steps": STEPS, "init": "digits_cnn_bn_init_f64.safetensors",
             "model": MODEL, "learner": OPTIMIZER,
             "data": {"file": "tests/data/digits.npz", "batch_size": train.BATCH,
                      "scale": "inputs / 16", "batches": "as digits_mlp", "weights": "all 1"}}
    out = {**columns, "eval_loss": loss, "eval_accuracy": accuracy, "eval_xent": xent}
    group.add("f64", "train", attrs,
              {"mode": "close", "rtol": 1e-10, "atol": 1e-10,
               "why": "float64, 20 steps: order of summation and libm"},
              {"out": out, "grad": first, "final": {**params, **moving}})
    write_tensors(HERE / "digits_cnn_bn_init_f64.safetensors",
                  {k: tensor(v.astype(np.float64)) for k, v in weights.items()})
    group.write()


if __name__ == "__main__":
    main()
