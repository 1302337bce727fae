"""Environments for tests."""

from __future__ import annotations

import random
from typing import Any


class Corridor:
    """Cells 0 to 9; the first step of an episode may slip."""

    actions = ["left", "right"]
    observes: Any = 10
    version = "1"

    def __init__(self) -> None:
        self.at, self.random = 0, random.Random()

    def reset(self, seed: int | None) -> Any:
        if seed is not None:
            self.random.seed(seed)
        self.at = self.random.randrange(10)
        return self.seen()

    def step(self, action: int) -> Any:
        self.at = max(0, min(9, self.at + (1 if action else -1)))
        return self.seen()

    def seen(self) -> Any:
        return self.at


class Lamps(Corridor):
    observes = {"kind": "binary", "features": ["lamp%d" % i for i in range(4)]}

    def seen(self) -> Any:
        return [self.at >> i & 1 for i in range(4)]


class Place(Corridor):
    """Has rewards and episodes, and a real feature."""

    observes = ["x", "left"]

    def seen(self) -> Any:
        return [self.at / 2, -self.at]

    def step(self, action: int) -> Any:
        seen = super().step(action)
        return seen, -1.0, self.at == 9, False


class Box:
    """A space as Gymnasium has it."""

    def __init__(self, low: list[float], high: list[float]) -> None:
        self.low, self.high, self.shape, self.dtype = low, high, (len(low),), "float64"


class Discrete:
    """A space as Gymnasium has it."""

    def __init__(self, n: int) -> None:
        self.n = n


class GymCorridor:
    """A corridor with Gymnasium's interface."""

    action_space = Discrete(2)
    observation_space = Box([0.0], [9.0])

    def __init__(self) -> None:
        self.inner = Corridor()
        self.closed = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[list[float], dict[str, Any]]:
        return [float(self.inner.reset(seed))], {}

    def step(self, action: int) -> tuple[list[float], float, bool, bool, dict[str, Any]]:
        at = self.inner.step(action)
        return [float(at)], 0.5, at == 9, False, {}

    def close(self) -> None:
        self.closed += 1
