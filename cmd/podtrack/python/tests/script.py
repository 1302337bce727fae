"""What mypy --strict and pyright say of scripts of users: each line that is wrong has a comment, without which they
fail, as they do where a line with a comment is right."""
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

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


def reads(path: str) -> None:
    with podtrack.open(path) as store:
        runs = assert_type(store.runs("seed=0-9"), podtrack.Runs)
        names: list[str] = [assert_type(run, podtrack.Run).label for run in runs[1:] if run.head is not None]
        table = assert_type(runs.to_dicts(), podtrack.Table)
        rows: list[dict[str, object]] = table.to_pandas().to_dict("records") + runs.measures().to_arrow().to_pylist()
        found = [str(finding) for finding in store[names[0]].findings]
        last = assert_type(store[names[0]][-1], podtrack.Iteration)
        assert_type(last.factors.V, NDArray[np.float64])
        assert_type(last.measures.calls, int | None)
        lengths: list[float | None] = [option.info.length for option in last.options]
        option = assert_type(last.options[0], podtrack.Option)
        assert_type(option.policy, NDArray[np.int16])
        causes: list[str] = [source.source for source in option.why().sources]
        print(rows, lengths, causes, found)
    study = assert_type(podtrack.study("rooms.toml", store=path, parallel=2), podtrack.Study)
    assert_type(study.runs("variant=pod"), podtrack.Runs)
    study.plot().save("study.svg")


def records(store: podtrack.Store) -> None:
    env = podtrack.Environment(Corridor, version="1")
    with store.record("mine", version="1", env=env, select="top=2") as recording:
        states = np.zeros(1001, np.int64)
        head: str = recording.iteration(
            transitions={"states": states, "actions": states[1:]}, factors=([1.0], np.eye(1, 10)),
            values=[np.ones(10)], measures={"loss": 0.5})
    assert_type(recording.replay().identical, bool)
    print(head, recording.run.spec["seed"])


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
    run[0].options[0].info.lenght  # type: ignore[attr-defined]
