# SPDX-License-Identifier: Apache-2.0
"""Reads and writes groups of golden vectors: one safetensors file and one JSON file (README.md).

Tensors are (dtype name, shape, bytes), so that a copied tensor keeps every bit and bfloat16 needs
no library.
"""
import hashlib
import json
import pathlib
import platform
import struct

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
_NAMES = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16",
          "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8",
          "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL"}
_DTYPES = {v: np.dtype(k) for k, v in _NAMES.items() if k != "bfloat16"}


def tensor(array):
    """(dtype name, shape, little-endian bytes) of a numpy or JAX array."""
    array = np.asarray(array)
    return _NAMES[array.dtype.name], list(array.shape), array.tobytes()


def array(t):
    """The numpy array of a tensor; not for bfloat16."""
    return np.frombuffer(t[2], _DTYPES[t[0]]).reshape(t[1])


def read_tensors(path):
    data = pathlib.Path(path).read_bytes()
    n, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + n])
    header.pop("__metadata__", None)
    body = data[8 + n:]
    return {name: (e["dtype"], e["shape"], body[slice(*e["data_offsets"])])
            for name, e in header.items()}


def write_tensors(path, tensors):
    """Plain safetensors: header padded to 8 bytes, tensors in the given order, widest dtype first.

    Widest first keeps every tensor aligned to its own element size.
    """
    width = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4}
    order = sorted(tensors, key=lambda k: -width.get(tensors[k][0], 2 if "16" in tensors[k][0] else 1))
    header, at = {}, 0
    for name in order:
        dtype, shape, raw = tensors[name]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(raw)]}
        at += len(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path = pathlib.Path(path)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(tensors[k][2] for k in order))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_group(folder, group):
    """(document without its cases, cases, tensors by full name); checks the recorded sha256."""
    folder = pathlib.Path(folder)
    doc = json.loads((folder / f"{group}.json").read_text())
    raw = (folder / f"{group}.safetensors").read_bytes()
    assert hashlib.sha256(raw).hexdigest() == doc["sha256"], group
    return doc, doc.pop("cases"), read_tensors(folder / f"{group}.safetensors")


def write_group(doc, cases, tensors):
    """Writes <group>.safetensors and <group>.json beside this file: one case a line."""
    doc = dict(doc)
    doc["sha256"] = write_tensors(HERE / f"{doc['group']}.safetensors", tensors)
    lines = ["{"]
    lines += [f"  {json.dumps(k)}: {json.dumps(v)}," for k, v in doc.items()]
    lines.append('  "cases": [')
    lines.append(",\n".join("    " + json.dumps(c, separators=(",", ":"), allow_nan=False)
                            for c in cases))
    lines += ["  ]", "}", ""]
    (HERE / f"{doc['group']}.json").write_text("\n".join(lines))


def producers(*modules):
    return {"python": platform.python_version(), **{m.__name__: m.__version__ for m in modules}}


class Group:
    """Collects cases and writes them; `sections` is {section: {name: array}}."""

    def __init__(self, group, library, modules, doc, seed=0):
        self.doc = {"format": 1, "group": group, "set": "own", "seed": seed, "library": library,
                    "producers": producers(*modules), "sha256": "", "doc": doc, "whys": []}
        self.cases, self.tensors = [], {}

    def add(self, id, kind, attrs, tolerance, sections, note=None):
        assert "/" not in id and all(c["id"] != id for c in self.cases), id
        tolerance = dict(tolerance)
        why = tolerance["why"]
        if why not in self.doc["whys"]:
            self.doc["whys"].append(why)
        tolerance["why"] = self.doc["whys"].index(why)
        case = {"id": id, "kind": kind, "attrs": attrs, "tolerance": tolerance,
                "tensors": {s: list(names) for s, names in sections.items()}}
        if note:
            case["note"] = note
        self.cases.append(case)
        for section, names in sections.items():
            for name, value in names.items():
                self.tensors[f"{id}/{section}/{name}"] = tensor(value)

    def write(self):
        write_group(self.doc, self.cases, self.tensors)
        print(f"{self.doc['group']}: {len(self.cases)} cases, {len(self.tensors)} tensors")
