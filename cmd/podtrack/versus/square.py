"""Prints the processor time of numpy's eigh and svd: square.py SIZE... The matrices are those of
go test ./pod/linalg -bench 'Symmetric|Bidiagonal': 2I - L of a grid, and the successor representation of a path.
OPENBLAS_NUM_THREADS=1 keeps numpy on one core."""

import sys
import time

import numpy as np


def grid_laplacian(n):
    width = int(n**0.5)
    while n % width:
        width -= 1
    a = np.zeros((n, n))
    for s in range(n):
        for t in (s + 1, s + width):
            if t < n and (t == s + width or t % width):
                a[s, t] = a[t, s] = 1
    degree = a.sum(axis=0)
    return np.eye(n) + a / np.sqrt(np.outer(degree, degree))


def path_successor(n):
    p = np.zeros((n, n))
    for i in range(n):
        p[i, max(i - 1, 0)] += 0.5
        p[i, min(i + 1, n - 1)] += 0.5
    return np.linalg.inv(np.eye(n) - 0.99 * p)


def seconds(decompose, matrix):
    runs, begun = max(1, 300 // len(matrix)), time.process_time()
    for _ in range(runs):
        decompose(matrix)
    return (time.process_time() - begun) / runs


print("numpy", np.__version__)
for n in map(int, sys.argv[1:]):
    print(f"{n} eigh {seconds(np.linalg.eigh, grid_laplacian(n)):.5f} s")
    print(f"{n} svd {seconds(np.linalg.svd, path_successor(n)):.5f} s")
