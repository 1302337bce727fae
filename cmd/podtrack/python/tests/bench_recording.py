"""Times recording beside np.savez of the same arrays, both synced to the disk, in the form that benchstat reads:

    PODTRACK_BINARY=… python3 tests/bench_recording.py
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np  # noqa: E402

import podtrack  # noqa: E402

ROUNDS = 10


def iteration(rng: np.random.Generator, n: int, steps: int, options: int) -> dict[str, Any]:
    """Returns a walk on n states, directions that are one-hot, and values of 0."""
    actions = rng.integers(0, 2, steps)
    positions = np.concatenate([[n // 2], n // 2 + np.cumsum(2 * actions - 1)]) % (2 * n)
    states = np.where(positions < n, positions, 2 * n - 1 - positions)
    return {"transitions": {"states": states, "actions": actions},
            "factors": (np.arange(options // 2, 0, -1.0), np.eye(options // 2, n)),
            "purposes": np.ones(options // 2, bool), "values": np.zeros((options, n))}


def save(path: Path, given: dict[str, Any]) -> None:
    """Writes the same arrays as npz."""
    sigma, vectors = given["factors"]
    with open(path, "wb") as file:
        np.savez(file, **given["transitions"], sigma=sigma, vectors=vectors, values=given["values"])
        file.flush()
        os.fsync(file.fileno())


def bench(n: int, steps: int, options: int) -> None:
    rng = np.random.default_rng(0)
    name = "BenchmarkRecording/states=%d/steps=%d/options=%d" % (n, steps, options)
    env = {"name": "line", "version": "1", "actions": ["left", "right"], "observes": n}
    with tempfile.TemporaryDirectory() as folder, podtrack.record(
            "bench", version="1", env=env, steps=steps, store=Path(folder) / "runs.db") as run:
        for k in range(ROUNDS + 1):
            given = iteration(rng, n, steps, options)
            begun = time.perf_counter()
            run.iteration(**given)
            recorded = time.perf_counter()
            save(Path(folder) / "arrays.npz", given)
            saved = time.perf_counter()
            if k > 0:  # the first one starts podtrack
                times = 1e9 * (recorded - begun), 1e9 * (saved - recorded)
                print("%s 1 %d ns/op %d ns/savez" % (name, *times), flush=True)


if __name__ == "__main__":
    for sizes in ((12, 300, 4), (256, 2000, 8), (1000, 10000, 8), (12, 1000000, 4)):
        bench(*sizes)
