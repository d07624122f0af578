#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the groups of vectors that the tests need out of a folder with the full set.

    python3 tests/golden/subset.py FOLDER

FOLDER holds <group>.safetensors and <group>.json in the format of README.md.  Whole groups are
copied byte for byte.  Of the others only the listed kinds stay; a tensor that belonged to a case
which is left out moves to the first kept case that names it as an alias.  Needs only numpy.
"""
import pathlib
import shutil
import sys

from group import HERE, read_group, write_group

WHOLE = ["ops", "grads", "keys", "schedules_optax", "schedules_praxis", "nest_praxis"]

ACTIVATIONS = ["ReLU", "ReLU6", "LeakyReLU", "ELU", "Sigmoid", "Tanh", "GELU", "SiLU", "Swish",
               "Softplus", "SquaredReLU", "CubedReLU", "SineReLU", "Exp", "Identity"]
LAYERS = ["Linear", "Bias", "FeedForward", "MLPBlock", "Sequential", *ACTIVATIONS, "Dropout",
          "StochasticResidual", "StackingOverTime", "BatchNorm",
          "LayerNorm", "RmsNorm", "RmsNormNoScale", "GroupNorm", "WeightNormL2", "SpectralNorm",
          "IdentityNorm", "Conv2D", "Conv3D", "ConvBNAct", "DepthwiseConv1D", "Pooling",
          "GlobalPooling", "FullSoftmax", "SharedEmbeddingSoftmax",
          "NClassMajorSharedEmbeddingSoftmax", "GShardSharedEmbeddingSoftmax",
          "SigmoidCrossEntropy", "BiTemperedLoss", "Embedding", "PositionalEmbedding",
          "TrainablePositionalEmbedding", "RotaryPositionalEmbedding"]
PRAXIS_OPTIMIZERS = ["Sgd", "ShardedSgd", "Adam", "Lion", "Adagrad", "ShardedAdagrad", "Lamb", "Lars",
                     "Adafactor", "ShardedAdafactor", "ShardedStaticAccumulator", "OptaxOptimizer"]
OPTAX_OPTIMIZERS = ["sgd", "adam", "adamw", "lion", "adagrad", "rmsprop", "adafactor", "lamb", "lars",
                    "nadam", "adamax", "adabelief", "amsgrad", "radam", "yogi", "novograd", "adadelta",
                    "sm3"]
NESTED_MAP = ["CheckKey", "GetItem", "Set", "FlattenItems", "Pack", "TransformWithKey", "Filter",
              "ToNestedDict", "IsCompatible", "Union", "GetSlice", "__getattr__"]
PARAMS = ["", ".FromText", ".ToText", ".TextDiff", ".MergeCommonKeysFrom"]
KINDS = {
    "layers": {f"praxis.{name}" for name in LAYERS},
    "lingvo": {"lingvo.InstantiableParams", "lingvo.GenerateSeedFromName",
               *(f"lingvo.NestedMap.{name}" for name in NESTED_MAP),
               *(f"lingvo.Params{name}" for name in PARAMS)},
    "keys_praxis": {"praxis.init_var", "praxis.layer_init"},
    "optimizers_praxis": {"inputs", *(f"praxis.{name}" for name in PRAXIS_OPTIMIZERS)},
    "optimizers_optax": {"inputs", "optax.chain", *(f"optax.{name}" for name in OPTAX_OPTIMIZERS)},
    "training": {"paxml.train"},
}
# Of a kind, the cases whose model Lamina lacks: a transformer.
LEFT_OUT = {"training": {"lm.adamw", "lm.sgdm"}}
# Data cases are kept only where a kept case names them.
SHARED = ("inputs", "weights")


def choose(cases, kinds, left_out):
    kept = [c for c in cases if c["kind"] in kinds and c["kind"] not in SHARED
            and c["id"] not in left_out]
    named = {c["attrs"].get(s) for c in kept for s in SHARED}
    return [c for c in cases if c in kept or (c["kind"] in SHARED and c["id"] in named)]


def move_tensors(cases, tensors):
    """Tensors of the kept cases; rewrites each case's aliases to names that exist."""
    out, home = {}, {}
    for case in cases:
        alias = case.get("alias", {})
        for section, names in case["tensors"].items():
            for name in names:
                short = f"{section}/{name}"
                own = f"{case['id']}/{short}"
                if short not in alias:
                    out[own] = tensors[own]
                    home[own] = own
    for case in cases:
        alias = case.get("alias", {})
        for short, target in list(alias.items()):
            own = f"{case['id']}/{short}"
            if target not in home:
                home[target] = own
                out[own] = tensors[target]
            if home[target] == own:
                del alias[short]
            else:
                alias[short] = home[target]
        if "alias" in case and not alias:
            del case["alias"]
    return out


def subset(source, group, kinds):
    doc, cases, tensors = read_group(source, group)
    kept = choose(cases, kinds, LEFT_OUT.get(group, set()))
    missing = kinds - {c["kind"] for c in kept}
    assert not missing, (group, missing)
    doc["left_out"] = [c["id"] for c in cases if c not in kept]
    doc["subset"] = f"{len(kept)} of {len(cases)} cases: kinds {', '.join(sorted(kinds))}"
    write_group(doc, kept, move_tensors(kept, tensors))
    print(f"{group}: {doc['subset'].split(':')[0]}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    for group in WHOLE:
        for suffix in (".json", ".safetensors"):
            shutil.copyfile(source / (group + suffix), HERE / (group + suffix))
    for group, kinds in KINDS.items():
        subset(source, group, set(kinds))


if __name__ == "__main__":
    main()
