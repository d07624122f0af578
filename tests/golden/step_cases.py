#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Edge cases of the train and the eval step on tiny models, f64, plain JAX.

    python3 tests/golden/step_cases.py

Writes step_cases.{safetensors,json}.  Made with jax 0.10.2 and numpy 2.4.6 (requirements.txt).
"""
import jax
import jax.numpy as jnp
import numpy as np

import train
from group import Group

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_threefry_partitionable", True)

ROWS, DIMS = 5, 3
SEED = 77
LAYER = "network.layers_0"
NORM = {"type": "batch_norm", "dim": DIMS, "decay": 0.9, "epsilon": 1e-3}
FLAT = {"type": "flatten", "maps": "(B, 3) -> (B, 3)"}
LEARNER = {
    "type": "sgd", "momentum": 0.9, "nesterov": False, "learning_rate": 0.5,
    "l2_regularizer_weight": 0.01, "clip_gradient_norm_to_value": 1.0,
    "enable_skip_step_on_gradient_anomalies": True, "skip_step_gradient_norm_value": 0.0,
    # Every step has its own rate, none is 0: a wrong count shows in the weights.
    "schedule": {"type": "linear_rampup_cosine_decay", "warmup_steps": 0, "decay_start": 0,
                 "decay_end": 6, "max": 1.0, "min_ratio": 0.1},
}
DOC = """A model of one layer and a softmax head (attrs.model), root name "model", names without it.
Batches: in/inputs[i], in/labels[i], in/weights[i] of step i.  Kind train: from var/<path> and step 0,
out/<name>[i] belongs to step i: loss, accuracy (weighted), weight (sum of weights), grad_norm (of the
learnable variables, before clipping), grad_scale, valid, learning_rate (lr at the step counter: the
summary), used_learning_rate (lr at the optimizer's count), var_norm (of all variables before the
update), step and count (both after step i).  vars/<path>[i], trace/<path>[i]: variables and momentum
after step i.  grad/<path>: raw gradient of step 0, non-learnable variables not yet zeroed.  Kind eval:
one batch at step attrs.step.  key/draws: keys of the dropout layer."""


def model(layer, classes=2):
    return {"type": "classification", "name": "model",
            "network": {"type": "sequential", "layers": [layer]},
            "softmax": {"type": "softmax", "input_dims": DIMS, "num_classes": classes,
                        "has_bias": True}}


def weights_of(layer, classes=2):
    rng = np.random.default_rng(5)
    v = {"softmax.logits_ffn.linear.w": rng.standard_normal((DIMS, classes)),
         "softmax.logits_ffn.bias.b": rng.standard_normal(classes)}
    if layer["type"] == "batch_norm":
        v |= {f"{LAYER}.beta": rng.standard_normal(DIMS),
              f"{LAYER}.gamma": 0.1 * rng.standard_normal(DIMS),
              f"{LAYER}.moving_mean": rng.standard_normal(DIMS),
              f"{LAYER}.moving_variance": 0.5 + rng.random(DIMS)}
    return {k: jnp.asarray(x) for k, x in v.items()}


def batches(steps, classes=2):
    rng = np.random.default_rng(6)
    return {"inputs": rng.standard_normal((steps, ROWS, DIMS)),
            "labels": rng.integers(0, classes, (steps, ROWS)).astype(np.int32),
            "weights": np.tile([1.0, 0.5, 2.0, 0.0, 1.0], (steps, 1))}


def batch_norm(p, layer, x, do_eval):
    mean, var = p[f"{LAYER}.moving_mean"], p[f"{LAYER}.moving_variance"]
    beta, gamma = p[f"{LAYER}.beta"], 1 + p[f"{LAYER}.gamma"]
    moving = {}
    if not do_eval:
        m = jnp.mean(x, axis=0)
        v = jnp.mean((x - m) ** 2, axis=0)
        decay = layer["decay"]
        moving = {f"{LAYER}.moving_mean": mean * decay + m * (1 - decay),
                  f"{LAYER}.moving_variance": var * decay + v * (1 - decay)}
        if layer.get("use_moving_avg_in_training"):
            beta, gamma = jnp.zeros_like(beta), jnp.ones_like(gamma)
        else:
            mean, var = m, v
    return (x - mean) * gamma / jnp.sqrt(var + layer["epsilon"]) + beta, moving


def forward(p, layer, x, labels, weights, cell, do_eval):
    """(loss, (moving statistics or {}, per-example xent, accuracy, sum of weights))."""
    moving = {}
    if layer["type"] == "batch_norm":
        x, moving = batch_norm(p, layer, x, do_eval)
    elif layer["type"] == "dropout" and (not do_eval or layer.get("dropout_at_eval")):
        x = train.dropout(cell, x, layer["keep_prob"])
    logits = x @ p["softmax.logits_ffn.linear.w"] + p["softmax.logits_ffn.bias.b"]
    loss, xent, accuracy = train.softmax_xent(logits, labels, weights)
    return loss, (moving, xent, accuracy, jnp.sum(weights))


def train_step(p, state, layer, config, step, data):
    """(variables, optimizer state, log, raw gradients, keys drawn)."""
    cell = train.step_cell(jax.random.PRNGKey(SEED), step)
    value = jax.value_and_grad(forward, has_aux=True)
    (loss, (moving, _, accuracy, weight)), grads = value(p, layer, *data, cell, False)
    loss = loss * (weight / weight)  # NaN for total weight 0
    grads = {k: g * (weight / weight) for k, g in grads.items()}
    learnable = {k: v for k, v in p.items() if ".moving_" not in k}
    new, state, log = train.sgd_step(learnable, {k: grads[k] for k in learnable}, state, config,
                                     jnp.float64)
    log |= {"loss": loss, "accuracy": accuracy, "weight": weight, "step": np.uint32(step + 1),
            "count": state["count"], "var_norm": train.global_norm(p),
            "learning_rate": config["learning_rate"]
            * train.rampup_cosine(step, config["schedule"], jnp.float64)}
    return {**p, **moving, **new}, state, log, grads, cell.drawn


class Cases:
    def __init__(self):
        self.group = Group("step_cases", "jax", (jax, np), " ".join(DOC.split()), SEED)
        self.close = {"mode": "close", "rtol": 1e-12, "atol": 1e-13,
                      "why": "float64, a few steps: order of summation and libm"}

    def train(self, id, layer, data, note, learner=None, classes=2):
        p = weights_of(layer, classes)
        config, start = {**LEARNER, **(learner or {})}, p
        state = train.initial_state({k: v for k, v in p.items() if ".moving_" not in k})
        logs, first, draws = [], None, []
        for i in range(len(data["labels"])):
            rows = [jnp.asarray(data[k][i]) for k in ("inputs", "labels", "weights")]
            p, state, log, grads, drawn = train_step(p, state, layer, config, i, rows)
            first = first or grads
            draws += drawn
            logs.append({"out": log, "vars": p, "trace": state["trace"]})
        sections = {"in": data, "var": start, "grad": first}
        for s in ("out", "vars", "trace"):
            sections[s] = {k: np.array([log[s][k] for log in logs]) for k in logs[0][s]}
        if draws:
            sections["key"] = {"draws": np.array(draws)}
        attrs = {"key": [0, SEED], "layout": "partitionable", "model": model(layer, classes),
                 "learner": config}
        self.group.add(id, "train", attrs, self.close, sections, note)
        return {k: sections[k] for k in ("out", "vars", "grad")}

    def eval(self, id, layer, data, step, loss, note):
        p = weights_of(layer)
        cell = train.Cell(jax.random.fold_in(jax.random.PRNGKey(SEED), step))  # no split in eval
        rows = [jnp.asarray(data[k][0]) for k in ("inputs", "labels", "weights")]
        value, (_, xent, accuracy, weight) = forward(p, layer, *rows, cell, True)
        out = {"loss": value if loss is None else loss, "weight": weight, "xent": xent}
        if weight:
            out["accuracy"] = accuracy
        sections = {"in": {k: v[0] for k, v in data.items()}, "var": p, "out": out}
        if cell.drawn:
            sections["key"] = {"draws": np.array(cell.drawn)}
        attrs = {"key": [0, SEED], "layout": "partitionable", "step": step, "model": model(layer)}
        self.group.add(id, "eval", attrs, self.close, sections, note)


def train_cases(cases):
    got = cases.train("plain", NORM, batches(3), "nothing special: the base of the others")
    assert got["out"]["valid"].all()

    data = batches(4)
    data["weights"][1] = 0
    got = cases.train("zero_weight", NORM, data, "step 1 has total weight 0: loss NaN, update "
                      "skipped, count stays, step and moving statistics advance")
    assert np.isnan(got["out"]["loss"][1]) and list(got["out"]["count"]) == [1, 1, 2, 3]

    data = batches(3)
    data["inputs"][1, 3, 0] = np.nan
    got = cases.train("nan_row", FLAT, data, "the NaN row has weight 0, yet NaN * 0 is NaN: step 1 "
                      "is skipped, step 2 goes on")
    assert list(got["out"]["valid"]) == [True, False, True]
    cases.train("nan_row.batch_norm", NORM, data, "moving statistics stay NaN after step 1; "
                "training goes on since it uses the moments of the batch")

    data = batches(3)
    data["inputs"][1] *= 1e200
    data["labels"][1] = 1 - data["labels"][1]  # else every row is right and the gradient 0
    got = cases.train("overflow", FLAT, data, "loss and gradient of step 1 are finite, the square "
                      "of the norm is not: skipped")
    assert np.isfinite(got["out"]["loss"]).all() and np.isinf(got["out"]["grad_norm"][1])
    cases.train("overflow.no_skip", FLAT, data, "norm inf: grad_scale 0, so the update of step 1 is "
                "momentum and L2 alone", {"enable_skip_step_on_gradient_anomalies": False})

    data = batches(3)
    data["inputs"][1] *= 10
    data["labels"][1] = 1 - data["labels"][1]
    got = cases.train("skip_threshold", FLAT, data, "step 1 is skipped: its norm is not below the "
                      "threshold", {"skip_step_gradient_norm_value": 3.0})
    assert list(got["out"]["valid"]) == [True, False, True]
    cases.train("clip_single", FLAT, data, "each gradient by its own norm; grad_scale stays 1",
                {"clip_gradient_norm_to_value": 0.0, "clip_gradient_single_norm_to_value": 0.2})

    layer = {**NORM, "use_moving_avg_in_training": True}
    got = cases.train("non_learnable", layer, batches(3), "the moving statistics have a gradient "
                      "(grad/*), which must be zeroed: they count neither in grad_norm nor in the "
                      "update, and take the forward value")
    assert all(np.abs(got["grad"][f"{LAYER}.moving_{k}"]).min() > 0 for k in ("mean", "variance"))

    got = cases.train("zero_norm", FLAT, batches(2, 1), "one class: the gradient is exactly 0, "
                      "clip / 0 is inf, grad_scale 1; L2 alone moves the weights", classes=1)
    assert not got["out"]["grad_norm"].any() and (got["out"]["grad_scale"] == 1).all()

    cases.train("dropout", {"type": "dropout", "keep_prob": 0.6}, batches(3), "U in f64")


def eval_cases(cases):
    cases.eval("eval", NORM, batches(1), 3, None, "moving statistics, no update")
    data = batches(1)
    data["weights"][:] = 0
    cases.eval("eval.zero_weight", NORM, data, 3, 0.0, "the step leaves the head's loss as it is; "
               "praxis' FullSoftmax gives 0 (group layers, softmax.zero_weight); accuracy is 0/0")
    cases.eval("eval.dropout", {"type": "dropout", "keep_prob": 0.6}, batches(1), 3, None,
               "identity, no key drawn")
    cases.eval("eval.dropout_at_eval", {"type": "dropout", "keep_prob": 0.6,
                                        "dropout_at_eval": True}, batches(1), 3, None,
               "context key = fold_in(key, step), no split; binding draws the first key")


def main():
    cases = Cases()
    train_cases(cases)
    eval_cases(cases)
    cases.group.write()


if __name__ == "__main__":
    main()
