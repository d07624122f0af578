#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes optimizers_f64: ten steps of optax's optimizers in double precision.

The learning rate is 0.1 for four steps, then 0.04: it tells a momentum of scaled steps from a scaled
momentum.  inputs/params and inputs/grads[i] are shared; out/<param>[i] is the parameter after step i+1.
"""
import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
from group import Group  # noqa: E402

STEPS = 10
TOLERANCE = {"mode": "close", "rtol": 1e-11, "atol": 1e-13,
             "why": "float64, 10 steps; optax computes 1 - beta^n by a difference, good to 1e-13 at beta "
                    "0.999"}
FLOAT32 = {"mode": "close", "rtol": 1e-6, "atol": 1e-7,
           "why": "optax computes adafactor's decay in float32, also in double precision"}
SHAPES = {"b": (5,), "k": (2, 4, 3), "s": (), "w": (4, 6)}


def rate(count):
    return jnp.where(count < 4, 0.1, 0.04)


CASES = {
    "sgd": (optax.sgd, {"momentum": 0.9, "nesterov": True}),
    "adam": (optax.adam, {"b1": 0.8, "b2": 0.99, "eps": 1e-5, "eps_root": 1e-4}),
    "nadam": (optax.nadam, {}),
    "adamw": (optax.adamw, {"weight_decay": 0.05}),
    "adagrad": (optax.adagrad, {"initial_accumulator_value": 0.2, "eps": 1e-3}),
    "rmsprop": (optax.rmsprop, {"momentum": 0.7, "nesterov": True, "centered": True, "eps": 1e-4,
                                "eps_in_sqrt": False}),
    "rmsprop.bias_correction": (optax.rmsprop, {"momentum": 0.7, "bias_correction": True, "decay": 0.95}),
    "lion": (optax.lion, {"b1": 0.9, "b2": 0.98, "weight_decay": 0.1}),
    "lamb": (optax.lamb, {"weight_decay": 0.02}),
    "lamb.mask": (optax.lamb, {"weight_decay": 0.5, "mask": {"b": False, "k": True, "s": False, "w": True}}),
    "lars": (optax.lars, {"weight_decay": 0.01, "nesterov": True, "eps": 1e-3, "trust_coefficient": 0.1}),
    "lars.masks": (optax.lars, {"weight_decay": 0.2, "weight_decay_mask": {"b": False, "k": True,
                                                                          "s": False, "w": True},
                                "trust_ratio_mask": {"b": True, "k": False, "s": False, "w": True}}),
    "adafactor": (optax.adafactor, {"min_dim_size_to_factor": 3, "momentum": 0.9, "weight_decay_rate": 0.01,
                                    "dtype_momentum": jnp.float64}),
    "adamax": (optax.adamax, {"eps": 1e-4}),
    "adabelief": (optax.adabelief, {"eps": 1e-8, "eps_root": 1e-6, "nesterov": True}),
    "amsgrad": (optax.amsgrad, {"b2": 0.9}),
    "radam": (optax.radam, {"b2": 0.9, "threshold": 4.5, "nesterov": True}),
    "yogi": (optax.yogi, {}),
    "novograd": (optax.novograd, {"weight_decay": 0.1}),
    "adadelta": (optax.adadelta, {"weight_decay": 0.1, "eps": 1e-4}),
}
# sm3 takes a number and refuses scalars.
NUMBER = {"sm3": (optax.sm3, {"momentum": 0.9})}


def run(tx, params, grads):
    state, out = tx.init(params), {name: [] for name in params}
    for i in range(STEPS):
        step = {name: jnp.asarray(grads[name][i]) for name in params}
        updates, state = tx.update(step, state, params)
        params = optax.apply_updates(params, updates)
        for name in params:
            out[name].append(np.asarray(params[name]))
    return {name: np.stack(rows) for name, rows in out.items()}


def main():
    rng = np.random.default_rng(5)
    params = {name: rng.normal(size=shape) for name, shape in SHAPES.items()}
    grads = {name: rng.normal(size=(STEPS, *shape)) for name, shape in SHAPES.items()}
    group = Group("optimizers_f64", "optax+jax", [jax, optax, np], __doc__)
    group.add("inputs", "inputs", {"steps": STEPS}, TOLERANCE, {"params": params, "grads": grads})
    for name, (make, options) in CASES.items():
        out = run(make(rate, **options), {k: jnp.asarray(v) for k, v in params.items()}, grads)
        kind = f"optax.{name.split('.')[0]}"
        group.add(name, kind, {"inputs": "inputs", "options": str(options)},
                  FLOAT32 if name == "adafactor" else TOLERANCE, {"out": out})
    for name, (make, options) in NUMBER.items():
        some = {k: jnp.asarray(v) for k, v in params.items() if k != "s"}
        out = run(make(0.1, **options), some, grads)
        group.add(name, f"optax.{name}", {"inputs": "inputs", "options": str(options)}, TOLERANCE,
                  {"out": out})
    group.write()


if __name__ == "__main__":
    main()
