"""Prints podtrack's decompositions beside numpy's: square.py FILE SIZE... FILE has the output of go test ./pod/linalg
-bench 'FactorFeatures|Symmetric|Bidiagonal'. The matrices are the same: D, 2I - L of a grid, and the successor
representation of a path. OPENBLAS_NUM_THREADS=1 keeps numpy on one core."""

import statistics
import sys
import time

import medians
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


def differences(n):
    """Rows of D of n features, of which ten change in a row, four times as many as features."""
    generator = np.random.default_rng(0)
    d = np.zeros((4 * n, n))
    for row in d:
        row[generator.integers(0, n, 10)] = generator.choice((-1.0, 1.0), 10)
    return d


def main(path, sizes):
    """A row for each size, with a cell for each of the decompositions: podtrack's seconds, numpy's, and the ratio."""
    benchmarks = [("FactorFeatures/Gram/features", lambda d: np.linalg.eigh(d.T @ d), differences),
                  ("Symmetric/states", np.linalg.eigh, grid_laplacian), ("Bidiagonal/states", np.linalg.svd, path_successor)]
    measured = medians.read(path)
    print("numpy", np.__version__)
    print("| size | D, whole numbers | `eigh(D.T @ D)` | ratio | `laplacian` of a grid | `eigh` | ratio "
          "| `successor` of a path | `svd` | ratio |\n" + "|---" * 10 + "|")
    for n in sizes:
        cells = []
        for name, decompose, matrix in benchmarks:
            own = measured.get(f"{name}={n}")
            if own is None:
                cells += [""] * 3
                continue
            own, other = statistics.median(own["cpu-s/op"]), seconds(decompose, matrix(n))
            cells += [f"{own:.2g}", f"{other:.2g}", f"{own / other:.1f}"]
        print(f"| {n} |", " | ".join(cells), "|")


if len(sys.argv) < 3:
    sys.exit(__doc__)
main(sys.argv[1], [int(n) for n in sys.argv[2:]])
