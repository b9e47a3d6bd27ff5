import numpy as np


def softmax(x, axis=-1):
    """A maximum and a sum for each half, brought together."""
    rows = np.moveaxis(x, axis, -1)
    halves = [half for half in np.array_split(rows, 2, axis=-1) if half.shape[-1]]
    peaks = [half.max(axis=-1, keepdims=True) for half in halves]
    bases = [np.where(np.isneginf(peak), 0, peak) for peak in peaks]
    sums = [np.exp(half - base).sum(axis=-1, keepdims=True) for half, base in zip(halves, bases, strict=True)]
    peak = np.maximum.reduce(peaks)
    base = np.where(np.isneginf(peak), 0, peak)
    total = sum(
        (
            part * np.exp(np.where(np.isneginf(own), -np.inf, own - base))
            for part, own in zip(sums, peaks, strict=True)
        )
    )
    return np.moveaxis(np.exp(rows - base) / np.where(total == 0, 1, total), -1, axis)
