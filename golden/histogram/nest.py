import numpy as np


def histogram(x, hist):
    """Adds to hist how many of x fall into each bin; values outside are left out."""
    N = x.shape[0]
    BINS = hist.shape[0]
    for i in range(N):
        # bin = int(x[i] * BINS)
        bin = np.int64(x[i] * np.float32(BINS))
        # if 0 <= bin < BINS:
        if 0 <= bin and bin < BINS:
            # hist[bin] += 1
            hist[bin] += np.int32(1)
