"""Times recording beside np.savez of the same arrays, both synced to the disk, and collecting in objects, by the
processor time of all processes, beside a loop that acts in them; in the form that benchstat reads:

    PODTRACK_BINARY=… python3 tests/bench_recording.py [recording|collecting]

Environments of Gymnasium are left out where it is not installed.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
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


class Corridor:
    """A class of one's own, whose steps take next to no time."""

    actions, observes, version = ["left", "right"], 10, "1"

    def reset(self, seed: int | None) -> int:
        self.at = 5
        return self.at

    def step(self, action: int) -> int:
        self.at = max(0, min(9, self.at + (1 if action else -1)))
        return self.at


def processor_time() -> float:
    """Returns the seconds of this process and of those that have ended."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def act(env: Any, actions: int) -> float:
    """Returns the processor time of STEPS random steps."""
    drawn = random.Random(0).choices(range(actions), k=STEPS)
    env.reset(seed=0)
    begun = processor_time()
    for action in drawn:
        answer = env.step(action)
        if isinstance(answer, tuple) and (answer[2] or answer[3]):
            env.reset(seed=None)
    return processor_time() - begun


def collect(env: Any, steps: int) -> float:
    """Returns the processor time of a run that takes so many steps, and learns nothing."""
    with tempfile.TemporaryDirectory() as folder:
        begun = processor_time()
        podtrack.run(env=env, steps=steps, iterations=1, kappa=1000, store=Path(folder) / "runs.db")
        return processor_time() - begun


STEPS = 200_000


def bench_collecting(name: str, make: Callable[[], Any], actions: int, **options: Any) -> None:
    for _ in range(3):
        started = collect(podtrack.Environment(make(), **options), 10)
        times = collect(podtrack.Environment(make(), **options), STEPS) - started, act(make(), actions)
        each = [1e9 * t / STEPS for t in times]
        print("BenchmarkCollecting/env=%s 1 %d ns/step %d ns/bare" % (name, *each), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:] != ["collecting"]:
        for sizes in ((12, 300, 4), (64, 1000, 4), (64, 20000, 4), (256, 2000, 8), (1000, 10000, 8), (12, 1000000, 4)):
            bench(*sizes)
    if sys.argv[1:] != ["recording"]:
        bench_collecting("Corridor", Corridor, 2)
        with suppress(ImportError):
            from gymnasium import make
            bench_collecting("FrozenLake", lambda: make("FrozenLake-v1"), 4)
            ranges = "-2.4:2.4/-3:3/-0.21:0.21/-3:3"
            bench_collecting("CartPole", lambda: make("CartPole-v1"), 2, bins=8, range=ranges)
