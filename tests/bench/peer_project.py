# SPDX-License-Identifier: Apache-2.0
"""A training workload as a project folder: config, start variables, the one batch that every step sees.

    peer_project.py STATE.safetensors KIND FOLDER

STATE holds the weights (layer0.w (in, out), layer0.b ... of an mlp; conv0.w (kh, kw, in, out), conv0.b, conv1,
fc0, fc1, fc2 of a lenet) and batch.x, batch.y. KIND: mlp-adamw, mlp-sgd or lenet-adamw. Needs numpy and safetensors.
"""
import json, os, sys

from safetensors.numpy import load_file, save_file


def feed_forward(w, activation="relu"):
    return {"type": "lamina.feed_forward", "input_dims": w.shape[0], "output_dims": w.shape[1],
            "activation": activation}


def conv(w, padding):
    return {"type": "lamina.conv2d", "filter_shape": list(w.shape), "padding": padding, "bias": True}


def mlp(state):
    """Layers, and our names of the weights."""
    depth = sum(name.endswith(".w") for name in state) - 1
    layers = [feed_forward(state[f"layer{i}.w"]) for i in range(depth)]
    names = {f"layer{i}": f"network.layers_{i}" for i in range(depth)}
    return layers, names, f"layer{depth}"


def lenet(state):
    relu = {"type": "lamina.activation"}
    pool = {"type": "lamina.max_pool", "padding": "VALID"}
    layers = [conv(state["conv0.w"], "SAME"), relu, pool, conv(state["conv1.w"], "VALID"), relu, pool,
              {"type": "lamina.flatten"}, feed_forward(state["fc0.w"]), feed_forward(state["fc1.w"])]
    names = {"conv0": "network.layers_0", "conv1": "network.layers_3", "fc0": "network.layers_7",
             "fc1": "network.layers_8"}
    return layers, names, "fc2"


OPTIMIZERS = {
    "adamw": {"type": "lamina.adamw", "learning_rate": 1e-3, "decoupled_weight_decay": 0.01},
    "sgd": {"type": "lamina.sgd", "learning_rate": 0.01},
}


def main(path, kind, folder):
    model, optimizer = kind.split("-")
    state = load_file(path)
    layers, names, head = {"mlp": mlp, "lenet": lenet}[model](state)
    depth, classes = state[head + ".w"].shape
    config = {
        "name": kind,
        "model": {"type": "lamina.classification", "network": {"type": "lamina.sequential", "layers": layers},
                  "softmax": {"type": "lamina.full_softmax", "input_dims": depth, "num_classes": classes}},
        "learners": [{"type": "lamina.learner", "optimizer": OPTIMIZERS[optimizer]}],
        "inputs": {"train": {"type": "lamina.safetensors", "file": "batch.safetensors", "repeat": True,
                             "batch_size": len(state["batch.y"])}},
    }
    names[head] = "softmax.logits_ffn"
    variables = {}
    for ours, theirs in ((names[n], n) for n in names):
        is_conv = theirs.startswith("conv")
        variables[ours + (".w" if is_conv else ".linear.w")] = state[theirs + ".w"]
        variables[ours + (".b" if is_conv else ".bias.b")] = state[theirs + ".b"]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "model.json"), "w") as f:
        json.dump(config, f, indent=2)
    save_file(variables, os.path.join(folder, "start.safetensors"))
    save_file({"inputs": state["batch.x"], "labels": state["batch.y"]}, os.path.join(folder, "batch.safetensors"))


if __name__ == "__main__":
    main(*sys.argv[1:])
