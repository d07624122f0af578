#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Schedules in f64 by their written formulas, from numpy.

    python3 tests/golden/schedule_cases.py

Writes schedule_cases.{safetensors,json}.  Made with numpy 2.4.6 (requirements.txt).  The praxis group
has the same schedules in float32; here each formula is written anew, so that an f64 model has something
to be compared with to 1e-12.
"""
import numpy as np

from group import Group

CLOSE = {"mode": "close", "rtol": 1e-12, "atol": 1e-15,
         "why": "cos, exp and pow of two libraries differ in the last bits"}
DOC = "kind formula.<Class>: attrs as praxis names them; out/value (f64) at in/step."


def power(t, a):
    (x0, y0), (x1, y1), p = a["start"], a["limit"], a.get("power", 1)
    r = (np.clip(t, x0, x1) - x0) / (x1 - x0)
    f = r**p if a.get("origin", "start") == "start" else 1 - (1 - r)**p
    return y0 + f * (y1 - y0)


def exponential(t, a):
    (x0, y0), (x1, y1) = a["start"], a["limit"]
    return y0 * (y1 / y0)**((np.clip(t, x0, x1) - x0) / (x1 - x0))


def cosine(t, a):
    i, f = a.get("initial_value", 1.0), a.get("final_value", 0.0)
    return f + 0.5 * (i - f) * (1 + np.cos(np.pi * np.minimum(1, t / a["total_steps"])))


def delayed_cosine(t, a):
    (x0, y0), (x1, y1) = a["start"], a["limit"]
    r = (np.clip(t, x0, x1) - x0) / (x1 - x0)
    return y1 + 0.5 * (y0 - y1) * (1 + np.cos(np.pi * r))


def constants(t, a):
    index = np.searchsorted(np.array(a["boundaries"]), t, side="right")
    return np.array(a["values"])[index]


def transformer(t, a):
    w = a["warmup_steps"] * a.get("worker_replicas", 1)
    t = np.minimum(t, a.get("decay_end", np.inf))
    return a["model_dim"]**-0.5 * np.minimum((t + 1) * w**-1.5, (t + 1)**-0.5)


def rampup(fall):
    def value(t, a):
        w, s, e, m = a["warmup_steps"], a["decay_start"], a["decay_end"], a["max"]
        limits = {**a, "start": [s, m], "limit": [e, m * a["min_ratio"]]}
        return np.where(t < w, t / max(w, 1) * m, fall(np.maximum(t, s), limits))
    return value


def rampup_sqrt(t, a):
    t, w = np.maximum(t, 1), a["warmup_steps"]
    return a["peak"] * np.minimum(t / w, np.sqrt(w / t))


def rampup_constants(t, a):
    b, v = a["boundaries"], a["values"]
    return np.where(t < b[0], t / b[0] * v[0], constants(t, {"boundaries": b[1:], "values": v}))


def piecewise(t, a):
    starts = [0, *a["boundaries"]]
    part = np.searchsorted(np.array(a["boundaries"]), t, side="right")
    return np.array([value(a["schedules"][i], x - starts[i])
                     for i, x in zip(np.atleast_1d(part), np.atleast_1d(t))]).reshape(np.shape(t))


def cycle(t, a):
    ends = np.cumsum(a["steps"])
    part = np.searchsorted(ends, t % ends[-1], side="right")
    return np.array([value(a["schedules"][i], x)
                     for i, x in zip(np.atleast_1d(part), np.atleast_1d(t))]).reshape(np.shape(t))


def continuous(t, a):
    halves = np.maximum(t - a["start_step"], 0) / a["half_life_steps"]
    return a["initial_value"] * np.maximum(0.5**halves, a["min"])


FORMULAS = {
    "Constant": lambda t, a: np.full(np.shape(t), a["value"]),
    "Polynomial": power,
    "Linear": power,
    "Exponential": exponential,
    "Cosine": cosine,
    "DelayedCosine": delayed_cosine,
    "PiecewiseConstant": constants,
    "Transformer": transformer,
    "SqrtDecay": lambda t, a: np.maximum(t - a["offset"], a["decay_start"])**-0.5 * a["multiplier"],
    "LinearRampupPolynomialDecay": rampup(power),
    "LinearRampupCosineDecay": rampup(delayed_cosine),
    "LinearRampupExponentialDecay": rampup(exponential),
    "LinearRampupSqrtDecay": rampup_sqrt,
    "LinearRampupPiecewiseConstant": rampup_constants,
    "PiecewiseSchedule": piecewise,
    "CycleSchedule": cycle,
    "ContinuousSchedule": continuous,
}


def value(schedule, t):
    return FORMULAS[schedule["type"]](np.asarray(t, np.float64), schedule)


LINE = {"type": "Linear", "start": [0, 0.0], "limit": [5, 1.0]}
WAVE = {"type": "Cosine", "initial_value": 0.9, "final_value": 0.2, "total_steps": 12}
CASES = {
    "constant": ("Constant", {"value": 0.7}),
    "polynomial": ("Polynomial", {"power": 2.5, "start": [4, 0.5], "limit": [20, 2.0]}),
    "polynomial.limit": ("Polynomial", {"power": 3, "start": [4, 0.5], "limit": [20, 0.25],
                                        "origin": "limit"}),
    "polynomial.flat": ("Polynomial", {"power": 2, "start": [3, 0.1], "limit": [9, 0.1]}),
    "linear": ("Linear", {"start": [3, -0.1], "limit": [16.5, 0.3]}),
    "exponential": ("Exponential", {"start": [5, 0.3], "limit": [25, 1e-5]}),
    "cosine": ("Cosine", {"initial_value": 0.3, "final_value": 0.7, "total_steps": 29}),
    "delayed_cosine": ("DelayedCosine", {"start": [6, 1.1], "limit": [30, 0.0]}),
    "rampup_poly": ("LinearRampupPolynomialDecay", {"warmup_steps": 7, "decay_start": 10,
                                                    "decay_end": 31, "power": 1.5, "max": 0.7,
                                                    "min_ratio": 0.1}),
    "rampup_cos": ("LinearRampupCosineDecay", {"warmup_steps": 7, "decay_start": 10, "decay_end": 31,
                                               "max": 0.7, "min_ratio": 0.1}),
    "rampup_cos.at_once": ("LinearRampupCosineDecay", {"warmup_steps": 7, "decay_start": 7,
                                                       "decay_end": 8, "max": 0.7, "min_ratio": 0.0}),
    "rampup_exp": ("LinearRampupExponentialDecay", {"warmup_steps": 7, "decay_start": 10,
                                                    "decay_end": 31, "max": 0.7, "min_ratio": 0.1}),
    "rampup_sqrt": ("LinearRampupSqrtDecay", {"peak": 0.3, "warmup_steps": 13}),
    "rampup_constants": ("LinearRampupPiecewiseConstant", {"boundaries": [4, 10, 10, 20],
                                                           "values": [0.9, 0.3, 0.2, 0.1]}),
    "constants": ("PiecewiseConstant", {"boundaries": [5, 9], "values": [1.1, 0.7, 0.3]}),
    "constants.one": ("PiecewiseConstant", {"boundaries": [], "values": [0.3]}),
    "transformer": ("Transformer", {"warmup_steps": 11, "model_dim": 48, "worker_replicas": 2,
                                    "decay_end": 37}),
    "sqrt_decay": ("SqrtDecay", {"decay_start": 6, "multiplier": 0.3, "offset": 2.5}),
    "piecewise": ("PiecewiseSchedule", {"boundaries": [5, 17], "schedules": [
        LINE, WAVE, {"type": "Exponential", "start": [0, 0.5], "limit": [20, 0.1]}]}),
    "piecewise.nested": ("PiecewiseSchedule", {"boundaries": [8], "schedules": [
        LINE, {"type": "PiecewiseSchedule", "boundaries": [6], "schedules": [
            WAVE, {"type": "CycleSchedule", "steps": [2, 3], "schedules": [WAVE, LINE]}]}]}),
    "cycle": ("CycleSchedule", {"steps": [4, 3, 1], "schedules": [
        LINE, WAVE, {"type": "Constant", "value": 0.05}]}),
    "continuous": ("ContinuousSchedule", {"initial_value": 0.9, "start_step": 10,
                                          "half_life_steps": 5, "min": 0.03}),
    # Counts that float32 does not hold exactly: the boundaries stay where they are.
    "large": ("PiecewiseSchedule", {"boundaries": [16777217], "schedules": [
        {"type": "Constant", "value": 0.5}, LINE]}),
}


def main():
    group = Group("schedule_cases", "numpy", [np], DOC)
    for id, (kind, attrs) in CASES.items():
        steps = np.array([*range(45), 100, 1000000], np.int32)
        if id == "large":
            steps = np.array([0, 16777215, 16777216, 16777217, 16777218, 16777222], np.int32)
        out = value({"type": kind, **attrs}, steps)
        group.add(id, f"formula.{kind}", attrs, CLOSE,
                  {"in": {"step": steps}, "out": {"value": np.asarray(out, np.float64)}})
    group.write()


if __name__ == "__main__":
    main()
