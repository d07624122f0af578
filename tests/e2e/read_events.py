# SPDX-License-Identifier: Apache-2.0
"""Reads event files with TensorBoard's own loader and compares them with what tests/strangers/pair.c is
by definition: read_events.py FOLDER REPLICAS. Each replica has its rows of the batch x = 1, 0.45, 0.25, 0, with
mean m; a starts at 3, y = a x, the loss is (m a)^2, the replicas' mean q a^2 where q is the mean of m^2, so
with rate 0.01 a <- (1 - 0.02 q) a."""
import io
import sys

import numpy as np
from PIL import Image
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.util import tensor_util

X = np.array([1, 0.45, 0.25, 0])
STEPS = [1, 3, 5]  # the last of every two
FPROP = 'forward@model.fprop/'
STATES = 'backward@learner.update_states/'
problems = []


def check(what, got, wanted, tolerance=1e-5):
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    if got.shape != wanted.shape or not np.all(np.abs(got - wanted) <= tolerance * (1 + np.abs(wanted))):
        problems.append(f'{what}: wanted {wanted.tolist()}, got {got.tolist()}')


def check_scalar(events, tag, wanted, steps=STEPS):
    if tag not in events.Tags()['scalars']:
        problems.append(f'no scalar {tag} in {events.Tags()["scalars"]}')
        return
    got = events.Scalars(tag)
    check(tag + ' steps', [e.step for e in got], steps)
    check(tag, [e.value for e in got], wanted)
    if not all(e.wall_time > 1.6e9 for e in got):
        problems.append(f'{tag}: no wall time')


def check_scalars(events):
    q = (X.reshape(replicas, -1).mean(axis=1) ** 2).mean()
    a = np.array([3 * (1 - 0.02 * q) ** n for n in STEPS])
    same = np.ones(len(STEPS))
    check_scalar(events, 'loss', q * a * a)
    check_scalar(events, 'Metrics/loss', q * a * a)
    check_scalar(events, 'Metrics/loss-weight', same * replicas)
    check_scalar(events, 'Metrics/other', 25 * same)
    check_scalar(events, FPROP + 'a_scalar', a)
    check_scalar(events, FPROP + 'sum_scalar', X.sum() / replicas * same)  # the mean of replicas
    weights = X.reshape(replicas, -1).sum(axis=1)  # a replica's aggregate counts by its sum
    means = X.reshape(replicas, -1).mean(axis=1)
    check_scalar(events, FPROP + 'kind_aggregate_scalar', (means * weights).sum() / weights.sum() * same)
    check_scalar(events, 'backward@/learning_rate_scalar', 0.01 * same)
    check_scalar(events, STATES + 'grad_norm_scalar', 2 * q * a)
    check_scalar(events, STATES + 'is_valid_step_scalar', same)
    if not any(t.startswith('Steps/sec') for t in events.Tags()['scalars']):
        problems.append('no Steps/sec')


def check_images(events):
    tags = [t for t in events.Tags()['images'] if t.startswith(FPROP + 'kind_image')]
    if len(tags) != replicas:
        problems.append(f'wanted {replicas} images of kind, got {tags}')
    rows = []
    for tag in sorted(tags):
        got = events.Images(tag)
        check(tag + ' steps', [e.step for e in got], STEPS)
        for e in got:
            pixels = np.asarray(Image.open(io.BytesIO(e.encoded_image_string)).convert('L'))
            check(tag + ' size', pixels.shape, [e.height, e.width])
        rows.append(pixels.ravel())
    check('pixels', np.concatenate(rows), np.floor(X * 255 + 0.5), 0)
    if not any(t.startswith(FPROP + 'kind_aggregate_image') for t in events.Tags()['images']):
        problems.append('no aggregate image')


def tensors(events, plugin):
    """tag -> [(step, array)] of the tensor summaries that belong to a dashboard."""
    return {tag: [(e.step, tensor_util.make_ndarray(e.tensor_proto)) for e in events.Tensors(tag)]
            for tag in events.Tags()['tensors']
            if events.SummaryMetadata(tag).plugin_data.plugin_name == plugin}


def check_histogram(events):
    got = tensors(events, 'histograms')
    if list(got) != [FPROP + 'kind_histogram']:
        problems.append(f'histograms: {list(got)}')
        return
    check('histogram steps', [step for step, _ in got[FPROP + 'kind_histogram']], STEPS)
    for _, buckets in got[FPROP + 'kind_histogram']:  # rows of [left, right, count]
        left, right, count = buckets.T
        wanted = [((X >= lo) & ((X < hi) | (hi == right[-1]) & (X <= hi))).sum() for lo, hi in zip(left, right)]
        check('histogram edges', [left[0], right[-1]], [X.min(), X.max()])
        check('histogram edges meet', left[1:], right[:-1])
        check('histogram counts', count, wanted)


def check_texts(events):
    got = tensors(events, 'text')
    text = got.get(FPROP + 'kind_text', [])
    check('text steps', [step for step, _ in text], STEPS)
    for _, value in text:
        if value.item() != b'some **text**':
            problems.append(f'text: {value}')
    if b'test.pair' not in got['Model'][0][1].item():
        problems.append(f'model: {got["Model"]}')


replicas = int(sys.argv[2])
loaded = event_accumulator.EventAccumulator(
    sys.argv[1], size_guidance={kind: 0 for kind in event_accumulator.DEFAULT_SIZE_GUIDANCE})
loaded.Reload()
check_scalars(loaded)
check_images(loaded)
check_histogram(loaded)
check_texts(loaded)
print('\n'.join(problems) if problems else 'checks passed')
sys.exit(1 if problems else 0)
