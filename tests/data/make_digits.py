#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes digits.npz from scikit-learn's copy of the UCI handwritten digits.

    python3 -m pip install -r tests/golden/requirements.txt
    python3 tests/data/make_digits.py

Made with scikit-learn 1.9.1 and numpy 2.4.6.  README.md here names source and licence.
"""
import pathlib

import numpy as np
from sklearn.datasets import load_digits


def main():
    digits = load_digits()
    inputs = digits.images.astype(np.uint8)[..., None]  # (1797, 8, 8, 1), 0..16
    labels = digits.target.astype(np.int32)  # (1797,), 0..9
    assert inputs.shape == (1797, 8, 8, 1) and labels.shape == (1797,)
    assert np.array_equal(inputs[..., 0], digits.images) and inputs.max() == 16
    # Compressed, so that the reader's deflate path is what every test and example uses.
    np.savez_compressed(pathlib.Path(__file__).with_name("digits.npz"), inputs=inputs, labels=labels)


if __name__ == "__main__":
    main()
