"""Environments of dm_env, PettingZoo and pycolab, on stand-ins that answer as the real packages do."""

from __future__ import annotations

import importlib
import random
import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import podtrack
from podtrack.adapter import gym
from podtrack.adapter.interfaces import as_gymnasium

CALLS = Path(__file__).parents[4] / "replay" / "external" / "testdata"


@pytest.mark.parametrize("package", ["bsuite", "pettingzoo", "pycolab"])
def test_stand_ins(package: str, standins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The stand-ins give what the real packages gave to the same calls, which real.sh has recorded."""
    runpy.run_path(str(CALLS / "calls.py"))[package + "_calls"]()
    assert capsys.readouterr().out == (CALLS / ("calls-%s.txt" % package)).read_text()


def walk(served: Any, seed: int) -> list[Any]:
    return [served.reset(seed), *(served.step(i % len(served.actions)) for i in range(30))]


@pytest.mark.parametrize("name, version, kind, features, actions", [
    ("bsuite:catch/0", "adapter 2, bsuite 0.3.6.standin CODE", "real", 50, ["0", "1", "2"]),
    ("pettingzoo.sisl.pursuit_v5:parallel_env,n_pursuers=1",
     "adapter 2, gymnasium 1.4.0.standin CODE, pettingzoo 1.27.0.standin CODE", "real", 147, ["0", "1", "2", "3", "4"]),
    ("pettingzoo.sisl.pursuit_v5:env,n_pursuers=1",
     "adapter 2, gymnasium 1.4.0.standin CODE, pettingzoo 1.27.0.standin CODE", "real", 147, ["0", "1", "2", "3", "4"]),
    ("pycolab.examples.classics.chain_walk:make_game,actions=['stay';1]", "adapter 2", "binary", 44, ["stay", "1"]),
])
def test_by_name(name: str, version: str, kind: str, features: int, actions: list[str], standins: Path) -> None:
    words = [word.replace(";", ",") for word in name.split(",")]
    served, again = gym.named(words), gym.named(words)
    declared = served.declaration
    assert declared["name"] == words[0].replace(":", "/")
    assert re.fullmatch(re.escape(version).replace("CODE", "[0-9a-f]{10}"), declared["version"])
    assert declared["observes"]["kind"] == kind and len(declared["observes"]["features"]) == features
    assert declared["actions"] == actions
    first = walk(served, 2**53 - 1)
    assert first == walk(served, 2**53 - 1) == walk(again, 2**53 - 1)
    if "pycolab" not in name:  # that game has no chance
        assert len({str(walk(served, seed)) for seed in range(5)}) > 1


def test_steps_of_pettingzoo(standins: Path) -> None:
    """In turn and together one agent does the same."""
    module = importlib.import_module("pettingzoo.sisl.pursuit_v5")
    together, in_turn = (as_gymnasium(each(n_pursuers=1, max_cycles=3), None) for each in (
        module.parallel_env, module.env))
    together.reset(seed=3), in_turn.reset(seed=3)
    for i in range(3):
        steps = [(step[0].tolist(), *step[1:]) for step in (together.step(i), in_turn.step(i))]
        assert steps[0] == steps[1] and steps[0][1:4] == (-0.1, False, i == 2)


class Wrapped:
    """An environment of dm_env around another, each with generators of their own."""

    def __init__(self) -> None:
        self.generator, self._env = np.random.default_rng(), SimpleNamespace(
            state=np.random.RandomState(), python=random.Random())
        self.discount: float | None = None

    def action_spec(self) -> Any:
        return importlib.import_module("dm_env.specs").DiscreteArray(2)

    def observation_spec(self) -> Any:
        specs = importlib.import_module("dm_env.specs")
        return {"place": specs.BoundedArray((), np.int64, 1, 3),
                "numbers": [specs.Array((2,), float), specs.BoundedArray((2, 2), np.float32, [0, -1], 2.0)],
                "lamps": specs.BoundedArray((2,), bool, False, True), "words": specs.StringArray(())}

    def _seen(self) -> Any:
        return {"place": self._env.state.randint(1, 4), "numbers": [self.generator.random(2), np.ones((2, 2))],
                "lamps": np.array([self._env.python.random() < 0.5, True]), "words": "left out"}

    def reset(self) -> Any:
        return importlib.import_module("dm_env").restart(self._seen())

    def step(self, action: int) -> Any:
        dm_env = importlib.import_module("dm_env")
        return [dm_env.termination, dm_env.truncation][action](0.5, self._seen())


@pytest.mark.parametrize("spec, actions, names, taken", [
    (lambda specs: {"a": specs.DiscreteArray(3), "b": [specs.BoundedArray((2,), float, -1, 1)]},
     [{"a": 1, "b": [[-1, 0.5]]}], ["1,-1,0.5"], {"a": 1, "b": ([-1.0, 0.5],)}),
    (lambda specs: specs.BoundedArray((1,), np.float32, -1, [1]), 2, ["-1", "1"], [-1.0]),
    (lambda specs: specs.BoundedArray((), int, 5, 9), None, ["0", "1", "2", "3", "4"], 5),
    (lambda specs: {"a": specs.DiscreteArray(3)}, [{"b": 1}], "{'b': 1} is none of the space Dict", None),
    (lambda specs: [specs.DiscreteArray(3)], [[1, 2]], "[1, 2] is none of the space Tuple", None),
    (lambda specs: specs.BoundedArray((), np.int64, 0, 2**62), None, "actions are Box", None),
])
def test_actions_of_dm_env(spec: Any, actions: Any, names: Any, taken: Any, standins: Path) -> None:
    env = Wrapped()
    env.action_spec = lambda: spec(importlib.import_module("dm_env.specs"))  # type: ignore[method-assign]
    made = podtrack.Environment(env, version="1", actions=actions, parameters={"action_spec": ""})
    if isinstance(names, str):
        with pytest.raises(podtrack.UsageError, match=re.escape(names)):
            made.serve()
        return
    served = made.serve()
    assert served.declaration["actions"] == names and plain(served.actions[0]) == taken


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return tuple(map(plain, value)) if isinstance(value, tuple) else getattr(value, "tolist", lambda: value)()


def test_of_dm_env(standins: Path) -> None:
    """Nested specs, seeds of all generators, and how episodes end."""
    served = podtrack.Environment(Wrapped, version="1").serve()
    assert " ".join(served.declaration["observes"]["features"]) == (
        "numbers.0.x0 numbers.0.x1 numbers.1.x0 numbers.1.x1 numbers.1.x2 numbers.1.x3 "
        "place=1 place=2 place=3 lamps.x0 lamps.x1")
    assert walk(served, 5) == walk(served, 5) != walk(served, 6)
    assert [served.step(action)[1:] for action in (0, 1)] == [(0.5, True, False), (0.5, False, True)]
    binned = podtrack.Environment(Wrapped, version="1", bins=4, range="-9:9").serve()
    assert binned.declaration["observes"]["features"][8:10] == ["numbers.1.x0.0", "numbers.1.x0.1"]
    numbers = as_gymnasium(Wrapped(), None).observation_space.spaces["numbers"].spaces[1]
    assert numbers.low.tolist() == [[0, -1], [0, -1]]


def test_runs(standins: Path, tmp_path: Path) -> None:
    """A run in an object goes on in it, and in another one like it; so does one in a game."""
    bsuite = importlib.import_module("bsuite")
    game = importlib.import_module("pycolab.examples.classics.chain_walk").make_game
    one = bsuite.load_from_id("catch/3")
    for env, again in ((one, one), (one, bsuite.load_from_id("catch/0")),
                       (podtrack.Environment(game, actions=[0, 1]), podtrack.Environment(game, actions=[0, 1]))):
        run = podtrack.run(env=env, steps=60, iterations=1, kappa=0.3, store=tmp_path / "runs.db", learner="empirical")
        assert run.fork(1, kappa=0.2, env=again, iterations=2).status == "complete"
        assert run.replay(env=again).identical
    assert len(podtrack.open(tmp_path / "runs.db").runs()) == 4  # one of catch, with two forks that are the same
