"""Stages that are functions of this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podtrack
from corridors import Corridor

SPEC: dict[str, Any] = dict(bits=5, steps=200, iterations=3, kappa=1)


@podtrack.method(version="1")
def singular(d: podtrack.MethodInput) -> tuple[Any, Any]:
    """The singular value decomposition of D, as NumPy has it."""
    weighted = d.rows * np.sqrt(d.counts)[:, None]
    _, sigma, vt = np.linalg.svd(weighted, full_matrices=False)
    return sigma, vt


@podtrack.select(version="1", parameters={"least": 1})
def above_one(d: podtrack.SelectInput) -> Any:
    assert d.vectors.shape == (len(d.sigma), 5) and d.signs is None
    return d.sigma > 1


@podtrack.learner(version="1")
def sweeps(d: podtrack.LearnInput) -> Any:
    """v by synchronous sweeps from 0, as the built-in learner has it."""
    s, a, after, _, _ = d.model.transitions.T
    following = np.empty((d.model.states, d.model.actions), int)
    following[s, a] = after
    reward = d.w[following] - d.w[:, None]
    v = np.zeros(d.model.states)
    for _ in range(d.spec["sweeps"]):
        v = np.maximum(0, (reward + d.spec["gamma"] * v[following]).max(axis=1))
    return v


@podtrack.measure(["per_state", "undefined"], version="1")
def per_state(d: podtrack.MeasureInput) -> dict[str, Any]:
    assert d.k >= 0 and d.measures["purposes"] is not None and d.measures["states_visited"] is not None
    return {"per_state": d.measures["purposes"] / d.measures["states_visited"], "undefined": None}


def test_own_measures(tmp_path: Path) -> None:
    run = podtrack.run(store=tmp_path / "runs.db", measure=per_state, **SPEC)
    for k in run:
        assert k.measures.states_visited is not None
        assert k.measures.external == {"per_state": k.info.purposes / k.measures.states_visited, "undefined": None}
    assert run.replay(measure=per_state).identical
    with pytest.raises(podtrack.UsageError, match="name what it measures|measure="):
        podtrack.run(store=tmp_path / "runs.db", measure=lambda d: {}, **SPEC)


def test_a_run_of_own_stages(tmp_path: Path) -> None:
    stages: dict[str, Any] = dict(method=singular, select=above_one, learner=sweeps)
    run = podtrack.run(store=tmp_path / "runs.db", **stages, **SPEC)
    assert run.spec["stages"]["select"] == {"name": "above_one", "version": "1", "params": {"least": "1"}}
    plain = podtrack.run(store=tmp_path / "plain.db", **SPEC)
    assert run[0].transitions.states.tolist() == plain[0].transitions.states.tolist()
    assert np.allclose(run[0].factors.sigma, plain[0].factors.sigma)
    assert run[0].info.purposes == plain[0].info.purposes
    assert run.replay(**stages).identical
    assert {name: (of.level, of.needs) for name, of in run.levels.items()} == {
        "collect": ("recomputed", ""), "factor": ("verified", "method"), "select": ("claimed", "select"),
        "learn": ("verified", "learner"), "measure": ("recomputed", "")}
    assert {stage.level for stage in run.replay(**stages).iterations[0].stages} == {"recomputed"}
    assert run.info.proof_level == "claimed" and plain.info.proof_level == "recomputed"
    assert plain.proves == "collect, factor, learn, measure recomputed"
    more = podtrack.run(store=tmp_path / "runs.db", **stages, **{**SPEC, "iterations": 4})
    assert more.id == run.id and len(more) == 4
    assert more.resume(iterations=5, **stages).info.iterations == 5
    with pytest.raises(podtrack.UsageError, match="give [a-z]+=…, the stage"):
        more.resume(iterations=6)
    with pytest.raises(podtrack.UnverifiedError, match=r"replay\(select=…, learner=…\)"):
        more.replay(method=singular)
    fork = run.fork(2, kappa=3, **stages)
    assert fork[1].link == run[1].link and fork.spec["kappa"] == 3 and fork.replay(**stages).identical


def test_the_built_in_learner_gives_the_same_values(tmp_path: Path) -> None:
    own = podtrack.run(store=tmp_path / "own.db", learner=sweeps, **SPEC)
    built = podtrack.run(store=tmp_path / "built.db", **SPEC)
    assert own.id != built.id and len(own.options) == len(built.options) > 0
    for mine, theirs in zip(own.options, built.options):
        assert mine.values.tobytes() == theirs.values.tobytes() and mine.policy.tobytes() == theirs.policy.tobytes()


@pytest.mark.long
def test_with_an_environment_of_this_process(tmp_path: Path) -> None:
    stage = podtrack.select(lambda d: d.sigma > 0.5, name="half", version="1")
    run = podtrack.run(env=Corridor(), select=stage, store=tmp_path / "runs.db", steps=200, iterations=2)
    assert run.replay(env=Corridor(), select=stage).identical


@pytest.mark.long
def test_options_and_decisions(tmp_path: Path) -> None:
    given: list[podtrack.SelectInput] = []

    @podtrack.select(version="1")
    def novel(d: podtrack.SelectInput) -> podtrack.Selection:
        given.append(d)
        keep = np.arange(len(d.sigma)) < 1
        return podtrack.Selection(keep, reasons=["kept" if k else "rank" for k in keep],
                                  numbers=d.sigma, nearest=np.full(len(keep), -1))

    run = podtrack.run(store=tmp_path / "runs.db", select=novel, **SPEC)
    assert [len(d.options) for d in given] == [0, 2, 4] and [i.info.purposes for i in run] == [1, 1, 1]
    last = given[-1].options[-1]
    option = run.options[3]
    assert last.number == 3 and np.array_equal(last.vector, option.purpose) and last.sigma == option.sigma


@pytest.mark.long
def test_the_observed_model_and_transitions(tmp_path: Path) -> None:
    seen: list[Any] = []

    @podtrack.method(version="1", transitions=True)
    def first(d: podtrack.MethodInput) -> tuple[Any, Any]:
        seen.append(d)
        return [1.0], [np.eye(len(d.features))[0]]

    @podtrack.learner(version="1", learns="weights", model="observed")
    def weights(d: podtrack.LearnInput) -> Any:
        seen.append(d)
        assert d.model.features is not None
        return np.zeros((d.model.actions, d.model.features.shape[1] + 1))

    podtrack.run(store=tmp_path / "runs.db", method=first, learner=weights, bits=5, steps=200, iterations=1, kappa=0.5,
                 max_option_steps=100)
    assert seen[0].transitions[:, 3].sum() == 200 and seen[0].states.shape[1] == 5
    assert seen[1].model.transitions[:, 3].sum() == 200 and seen[1].w.shape == (seen[1].model.states,)


def raises(d: Any) -> Any:
    raise ZeroDivisionError("no")


@pytest.mark.parametrize("stage, cause", [
    (podtrack.method(lambda d: 3, name="x", version="1"), "returns (sigma, vectors)"),
    (podtrack.method(lambda d: ([1], [[float("nan")] * 5]), name="x", version="1"), "not finite"),
    (podtrack.method(lambda d: ([1, 2], np.eye(5)[:2]), name="x", version="1"), ""),
    (podtrack.method(lambda d: ([1], [[2, 0, 0, 0, 0]]), name="x", version="1"), ""),
    (podtrack.method(lambda d: ([1], [[1, 0]]), name="x", version="1"), ""),
    (podtrack.method(lambda d: (["a"], [["b"]]), name="x", version="1"), "no array of numbers"),
    (podtrack.select(lambda d: [True], name="x", version="1"), "each of"),
    (podtrack.select(lambda d: d.sigma, name="x", version="1"), "each of"),
    (podtrack.select(lambda d: podtrack.Selection(d.sigma > 0, reasons=["odd"] * len(d.sigma)), name="x", version="1"),
     ""),
    (podtrack.learner(lambda d: d.w[:3] * 0, name="x", version="1"), ""),
    (podtrack.learner(lambda d: -1 - abs(d.w), name="x", version="1"), ""),
    (podtrack.learner(lambda d: np.zeros((2, 2)), name="x", version="1"), "dimensions"),
    (podtrack.learner(raises, version="1"), "no"),
    (podtrack.learner(raises, version="1", learns="odd"), ""),
    (podtrack.method(raises, version="1", name="a b"), ""),
])
def test_what_a_stage_cannot_return(stage: podtrack.Stage[Any, Any], cause: str, tmp_path: Path) -> None:
    with pytest.raises(podtrack.UsageError) as caught:
        podtrack.run(store=tmp_path / "runs.db", **{stage.stage: stage}, **SPEC)
    assert not isinstance(caught.value, podtrack.EnvironmentFailed)
    assert isinstance(caught.value, podtrack.StageFailed) == (caught.value.__cause__ is not None)
    assert caught.value.remedy and (not cause or cause in str(caught.value.__cause__))


def test_what_is_no_stage() -> None:
    for wrong in (3, singular):
        with pytest.raises(podtrack.UsageError):
            podtrack.run(store="no.db", select=wrong)
    with pytest.raises(podtrack.UsageError, match="version"):
        podtrack.select(lambda d, log=memoryview(b""): log)
    assert singular.name == "singular" and podtrack.select(raises).version.startswith("digest ")


@pytest.mark.long
def test_a_stage_that_is_no_function_of_its_input(tmp_path: Path) -> None:
    calls: list[int] = []

    @podtrack.learner(version="1", parameters={"calls": "counted"})
    def drifting(d: podtrack.LearnInput) -> Any:
        calls.append(1)
        return np.maximum(0, d.w) + len(calls) * 1e-3 * (d.w > 0)

    run = podtrack.run(store=tmp_path / "runs.db", learner=drifting, max_option_steps=50, **SPEC)
    assert not run.replay(learner=drifting).identical
