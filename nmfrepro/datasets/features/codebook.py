"""A codebook of visual words by mini-batch k-means, over descriptors that stay on disk."""

from __future__ import annotations

import numpy as np

from ...core.seeds import derive
from ...core.threads import one_thread

BATCH = 4096
EPOCHS = 10
_CHUNK = 65_536


def learn_codebook(descriptors: np.ndarray, words: int, seed: int) -> np.ndarray:
    """The centres of mini-batch k-means after `EPOCHS` passes in random order.

    Parameters
    ----------
    descriptors : ndarray of uint8, shape (p, d)
        May be a memory map: only one batch is in memory at a time.
    words : int
        Number of centres, at most p.
    seed : int

    Returns
    -------
    ndarray of float32, shape (words, d)
    """
    from sklearn.cluster import MiniBatchKMeans
    from tqdm import tqdm

    count = len(descriptors)
    rng = np.random.default_rng(derive(seed, "codebook", "order"))
    size = max(BATCH, 3 * words)
    model = MiniBatchKMeans(words, random_state=derive(seed, "codebook", "start") % 2**32, n_init=1)
    steps = EPOCHS * -(-count // size)
    # One thread: sums in another order could move a centre, and the codebook with it.
    with one_thread(), tqdm(total=steps, desc="codebook", unit="batch", leave=False, disable=None) as bar:
        for _ in range(EPOCHS):
            order = rng.permutation(count)
            for start in range(0, count, size):
                chosen = np.sort(order[start : start + size])
                if start == 0 or len(chosen) >= words:
                    model.partial_fit(descriptors[chosen].astype(np.float32))
                bar.update()
    return np.asarray(model.cluster_centers_, dtype=np.float32)


def count_words(descriptors: np.ndarray, lengths: np.ndarray, codebook: np.ndarray) -> np.ndarray:
    """How often each word occurs in each image.

    Parameters
    ----------
    descriptors : ndarray of uint8, shape (p, d)
        Those of the first image first.
    lengths : ndarray of int, shape (n,)
        Number of descriptors of each image; sums to p.
    codebook : ndarray of float32, shape (words, d)

    Returns
    -------
    ndarray of float64, shape (n, words)
        Row sums are `lengths`.
    """
    words = len(codebook)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    counts = np.zeros(len(lengths) * words)
    half_norms = 0.5 * (codebook**2).sum(axis=1)
    with one_thread():
        for start in range(0, len(descriptors), _CHUNK):
            piece = np.asarray(descriptors[start : start + _CHUNK], dtype=np.float32)
            # |x − c|² is smallest where x·c − |c|²/2 is largest.
            nearest = np.argmax(piece @ codebook.T - half_norms, axis=1)
            bins = owner[start : start + _CHUNK] * words + nearest
            counts += np.bincount(bins, minlength=counts.size)
    return counts.reshape(len(lengths), words)
