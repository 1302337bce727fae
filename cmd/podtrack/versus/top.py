"""Prints the processor time of scipy's eigsh: top.py K. The matrices are those of
go test ./pod/linalg -bench 'TopDirections|FiftyDirections', which takes 7 and 50 for K: 2I - L of grids.
OPENBLAS_NUM_THREADS=1 keeps numpy on one core."""

import sys
import time

import numpy as np
import scipy
import scipy.sparse as sparse
from scipy.sparse.linalg import eigsh


def grid_laplacian(width, height):
    def path(n):
        return sparse.diags([np.ones(n - 1), np.ones(n - 1)], [-1, 1])

    edges = sparse.kron(sparse.eye(height), path(width)) + sparse.kron(path(height), sparse.eye(width))
    scale = sparse.diags(1 / np.sqrt(edges.sum(axis=0).A1))
    return (sparse.eye(width * height) + scale @ edges @ scale).tocsc()


def seconds(matrix, **how):
    begun = time.process_time()
    eigsh(matrix, k=int(sys.argv[1]), **how)
    return time.process_time() - begun


print("scipy", scipy.__version__)
for size in ((32, 32), (64, 32), (64, 64), (128, 64), (128, 128)):
    matrix = grid_laplacian(*size)
    largest, inverse = seconds(matrix, which="LA"), seconds(matrix, sigma=2.0001)
    print(f"{matrix.shape[0]} states: which='LA' {largest:.3f} s, sigma=2.0001 {inverse:.3f} s")
