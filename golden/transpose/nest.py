import numpy as np


def transpose(A, B):
    """B = A.T."""
    A_0 = A.shape[0]
    A_1 = A.shape[1]
    B_0 = B.shape[0]
    B_1 = B.shape[1]
    assert B_0 == A_1 and B_1 == A_0
    # for i in range(rows):
    for i in range(A_0):  # tile: 64
        # for j in range(columns):
        for j in range(A_1):  # tile: 64
            B[j, i] = A[i, j]
