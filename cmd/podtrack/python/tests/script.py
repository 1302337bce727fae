"""What mypy --strict says of scripts of users: each line that is wrong has a comment, without which mypy fails, as it
does where a line with a comment is right."""

from __future__ import annotations

from typing import assert_type

import numpy as np

import podtrack


class Corridor:
    actions, observes = 2, 10

    def reset(self, seed: int | None) -> int:
        return 5

    def step(self, action: int) -> int:
        return action


@podtrack.select(version="1")
def first(d: podtrack.SelectInput) -> podtrack.Selection:
    return podtrack.Selection(np.arange(len(d.sigma)) == 0)


@podtrack.learner
def nothing(d: podtrack.LearnInput) -> list[float]:
    return [0.0] * d.model.states


def right() -> None:
    run = assert_type(podtrack.run(bits=6, kappa=2, basis="random", learner="lspi", seed=3, store=None), podtrack.Run)
    assert_type(podtrack.run(env=Corridor(), seeds=range(3), select=first, learner=nothing), podtrack.Runs)
    podtrack.run(env=Corridor, select=lambda d: d.sigma > 1, max_option_steps="auto")
    podtrack.run(env=podtrack.Environment(Corridor, version="1"), check=True)
    assert_type(run.fork(1, kappa=2, select="top=3", env="grid"), podtrack.Run)
    run.resume(3, select=first)
    run.replay(env=Corridor, select=first)
    podtrack.record("mine", version="1", env={"name": "c", "actions": 2, "observes": 3}, learner="lspi", kappa=2)


def wrong(run: podtrack.Run) -> None:
    podtrack.run(bitz=6)  # type: ignore[call-overload]
    podtrack.run(bits="six")  # type: ignore[call-overload]
    podtrack.run(basis="left-singular")  # type: ignore[call-overload]
    podtrack.run(env=3)  # type: ignore[call-overload]
    podtrack.run(learner=first)  # type: ignore[arg-type]
    podtrack.run(seeds=1.5)  # type: ignore[call-overload]
    run.fork(1, kapa=2)  # type: ignore[call-arg]
    run.resume(select=nothing)  # type: ignore[arg-type]
    podtrack.record("mine", version="1", kapa=2)  # type: ignore[call-arg]
