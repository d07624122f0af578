# SPDX-License-Identifier: Apache-2.0
"""A training step in plain JAX (no flax, optax or praxis), for the digits_* vectors.

One replica, one learner.  A step at `step` with the run's key:
  K0 = fold_in(key, step); K1, Kf = split(K0); the forward context starts from Kf; binding the
  model draws one key from it; each dropout layer draws the next.  Drawing: k, out = split(k).
  loss = sum(w * xent) / sum(w), times weight / sum(weight) = 1.
  N = global L2 norm of the gradients; valid = isfinite(N); g *= min(1, clip / N); g += l2 * p;
  m = g + momentum * m; u = -lr(count) * m; not valid: u = 0, m and count stay; p += u.
The summary learning_rate is lr(step), which differs from lr(count) after a skipped step.
"""
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "digits.npz"
BATCH = 64


class Cell:
    """The key cell of a context."""

    def __init__(self, key):
        self.key, self.drawn = key, []
        self.bind_key = self.next_key()
        self.drawn.clear()

    def next_key(self):
        self.key, out = jax.random.split(self.key)
        self.drawn.append(out)
        return out


def digits():
    """(train inputs, train labels, test inputs, test labels); test: index mod 5 == 0."""
    with np.load(DATA) as d:
        x, y = d["inputs"], d["labels"]
    test = np.arange(len(x)) % 5 == 0
    return x[~test], y[~test], x[test], y[test]


def batch(inputs, labels, step, dtype):
    """Batch of a step: rows in file order, the remainder of an epoch dropped."""
    per_epoch = len(inputs) // BATCH
    at = (step % per_epoch) * BATCH
    rows = slice(at, at + BATCH)
    return jnp.asarray(inputs[rows], dtype) / 16, jnp.asarray(labels[rows])


def dropout(cell, x, keep):
    u = jax.random.uniform(cell.next_key(), x.shape, x.dtype)
    return x * jnp.floor(keep + u) / keep


def relu(x):
    return jnp.where(x <= 0, jnp.zeros_like(x), x)  # gradient 0 at 0


def softmax_xent(logits, labels, weights):
    """(loss, per-example xent, accuracy) of a batch."""
    log_probs = jax.nn.log_softmax(logits)
    xent = -jnp.take_along_axis(log_probs, labels[:, None], axis=1)[:, 0]
    right = (jnp.argmax(logits, axis=1) == labels).astype(logits.dtype)
    total = jnp.sum(weights)
    return jnp.sum(weights * xent) / total, xent, jnp.sum(weights * right) / total


def rampup_cosine(step, config, dtype):
    """LinearRampupCosineDecay of praxis; decay_start == warmup_steps leaves no plateau."""
    warm, start, end = config["warmup_steps"], config["decay_start"], config["decay_end"]
    top, low = config["max"], config["max"] * config["min_ratio"]
    t = jnp.asarray(step, dtype)
    ramp = top * t / warm if warm else jnp.asarray(top, dtype)
    part = jnp.clip((t - start) / (end - start), 0, 1)
    decay = low + (top - low) * (1 + jnp.cos(jnp.pi * part)) / 2
    return jnp.where(t < warm, ramp, jnp.where(t < start, jnp.asarray(top, dtype), decay))


def global_norm(tree):
    return jnp.sqrt(sum(jnp.sum(g * g) for g in tree.values()))


def clip_scales(grads, config):
    """(raw global norm, factor of each gradient, the summary grad_scale)."""
    norm = global_norm(grads)
    one = jnp.ones_like(norm)
    whole, single = (config.get(f"clip_gradient_{k}norm_to_value", 0) for k in ("", "single_"))
    assert not (whole and single)
    scale = jnp.minimum(1, whole / norm) if whole else one
    each = {name: jnp.minimum(1, single / jnp.sqrt(jnp.sum(g * g))) if single else scale
            for name, g in grads.items()}
    return norm, each, scale


def sgd_step(params, grads, state, config, dtype):
    """(new params, new state, log); params and grads hold the learnable variables only."""
    norm, factors, scale = clip_scales(grads, config)
    valid = jnp.isfinite(norm)
    if config.get("skip_step_gradient_norm_value", 0):
        valid &= norm < config["skip_step_gradient_norm_value"]
    taken = valid if config["enable_skip_step_on_gradient_anomalies"] else jnp.asarray(True)
    lr = config["learning_rate"] * rampup_cosine(state["count"], config["schedule"], dtype)
    new_params, new_trace = {}, {}
    for name, p in params.items():
        g = grads[name] * factors[name] + config["l2_regularizer_weight"] * p
        m = g + config["momentum"] * state["trace"][name]
        new_params[name] = jnp.where(taken, p - lr * m, p)
        new_trace[name] = jnp.where(taken, m, state["trace"][name])
    count = jnp.where(taken, state["count"] + 1, state["count"])
    log = {"grad_norm": norm, "grad_scale": scale, "valid": valid, "used_learning_rate": lr}
    return new_params, {"count": count, "trace": new_trace}, log


def initial_state(params):
    return {"count": jnp.asarray(0, jnp.int32),
            "trace": {name: jnp.zeros_like(p) for name, p in params.items()}}


def step_cell(key, step):
    k0 = jax.random.fold_in(key, step)
    _, kf = jax.random.split(k0)
    return Cell(kf)


def gaussian(rng, shape, fan_in):
    """Start weights that f32 holds exactly, so that the f64 and f32 runs start from one point."""
    return (rng.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32)
