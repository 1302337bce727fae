"""Faults of environments, and the remedies that are named to each kind of caller: each remedy is followed, and works.
A caller names an environment of Gymnasium, as a flag or in Python; has an object; or has a program."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import podtrack
from corridors import Corridor
from podtrack.adapter import gym, loop

PURSUIT, CHAIN = "pettingzoo.sisl.pursuit_v5:parallel_env", "pycolab.examples.classics.chain_walk:make_game"
WRAPPED = "wrap=gymnasium.wrappers:GrayscaleObservation/gymnasium.wrappers:ResizeObservation(shape=(20,20))"


@pytest.fixture(autouse=True)
def gymnasium(standins: Path) -> Any:
    """The stand-in, whose odd environments have the faults."""
    return importlib.import_module("gymnasium")


def acts(served: Any) -> bool:
    """Takes each action once, and reports whether it could."""
    served.reset(3)
    for action in range(len(served.declaration["actions"])):
        served.encode(served.step(action)[0])
    return True


@pytest.mark.parametrize("fault, what, remedy", [
    ("Torque-v0", "actions are Box", "actions=3"),
    ("Torque-v0", "actions are Box", "actions=[[-1.0],[0.5]]"),
    ("Buttons-v0", "200 actions are more than 127", "actions=[0,2]"),
    ("Cells-v0", "5000 features are more than 4096", "drop"),
    ("Screen-v0", "14400 features are more than 4096", WRAPPED + ",bins=4"),
    ("Cart-v1,bins=4", "number 1 of the observation has no bounds", "range=walk"),
    ("List-v0", "observations are Sequence", "wrap=MODULE:FUNCTION"),
    (PURSUIT, "it has 8 agents", "n_pursuers=1"),
    (CHAIN, "does not declare its actions", "actions=[0,1,2,3]"),
    ("Line-v0", "doesn't exist; .*write gym:MODULE:NAME", "gym_line:Line-v0"),
    ("bsuite:catch/99", "no experiment catch/99; similar: catch/9", "bsuite:catch/9"),
    (CHAIN + "r", "doesn't exist; similar: make_game", CHAIN + ",actions=[0,1]"),
])
def test_of_a_name(fault: str, what: str, remedy: str) -> None:
    """Flags and Python have the same names, and the same adapter."""
    with pytest.raises(loop.Refused, match=what) as raised:
        gym.named(fault.split(","))
    if fault == "List-v0":
        remedy = "wrap=test_remedies:numbered"
        assert "wrap=MODULE:FUNCTION changes them" in str(raised.value)
    elif ":" not in remedy.partition("=")[0]:
        assert remedy.replace("[[-1.0],[0.5]]", "[VALUE,...]") in str(raised.value)
    walk = ",walk=50" if remedy in ("drop", "range=walk") else ""
    changed = remedy if ":" in remedy.partition("=")[0] else "%s,%s%s" % (fault, remedy, walk)
    assert acts(gym.named(split(changed)))


def numbered(env: Any) -> Any:
    """Wraps an environment that shows numbers, but says that they are sequences."""
    env.observation_space = sys.modules["gymnasium"].spaces.Discrete(10, start=1)
    return env


def split(text: str) -> list[str]:
    """Splits options at commas outside of brackets, as podtrack does."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts


OBJECTS: dict[str, tuple[Callable[[Any], Any], str, Callable[[Any], Any]]] = {
    "Box": (lambda g: g.make("Torque-v0"), "Environment(env, actions=3) takes 3 values",
            lambda g: podtrack.Environment(g.make("Torque-v0"), actions=3)),
    "Box, some": (lambda g: g.make("Torque-v0"), "Environment(env, actions=[VALUE,...]) those",
                  lambda g: podtrack.Environment(g.make("Torque-v0"), actions=[[-1.0], [0.5]])),
    "200 actions": (lambda g: g.make("Buttons-v0"), "Environment(env, actions=[0, 2]) takes those",
                    lambda g: podtrack.Environment(g.make("Buttons-v0"), actions=[0, 2])),
    "5000 observations": (lambda g: g.make("Cells-v0"), "Environment(make, drop=True), of a function",
                          lambda g: podtrack.Environment(lambda: g.make("Cells-v0"), drop=True, walk=50, version="1")),
    "an image": (lambda g: g.make("Screen-v0"),
                 "Environment(ResizeObservation(GrayscaleObservation(env), (20, 20)), bins=4)",
                 lambda g: podtrack.Environment(g.wrappers.ResizeObservation(
                     g.wrappers.GrayscaleObservation(g.make("Screen-v0")), (20, 20)), bins=4)),
    "a vector": (lambda g: g.wrappers.SyncVectorEnv([lambda: g.make("Walk-v0")] * 2), "such as env.envs[0]",
                 lambda g: g.wrappers.SyncVectorEnv([lambda: g.make("Walk-v0")] * 2).envs[0]),
    "wrap": (lambda g: podtrack.Environment(g.make("Screen-v0"), wrap="m:f"), "Environment(WRAPPER(env))",
             lambda g: podtrack.Environment(g.wrappers.TimeLimit(g.make("Walk-v0"), 5))),
    "drop of an object": (lambda g: podtrack.Environment(g.make("Walk-v0"), drop=True), "a function that makes one",
                          lambda g: podtrack.Environment(lambda: g.make("Walk-v0"), drop=True, walk=50, version="1")),
    "8 agents": (lambda g: made(PURSUIT)(), "make it with one, such as n_pursuers=1",
                 lambda g: made(PURSUIT)(n_pursuers=1)),
    "a game": (lambda g: made(CHAIN), "Environment(make, actions=[0, 1, 2, 3]) lists them",
               lambda g: podtrack.Environment(made(CHAIN), actions=[0, 1, 2, 3])),
    "an engine": (lambda g: podtrack.Environment(made(CHAIN)(), actions=[0, 1]), "give a function that makes one",
                  lambda g: podtrack.Environment(made(CHAIN), actions=[0, 1])),
    "no declaration": (lambda g: Undeclared(), 'Environment(env, actions=["left", "right"], observes=10)',
                       lambda g: podtrack.Environment(Undeclared(), actions=["left", "right"], observes=10)),
}


def made(name: str) -> Any:
    """What makes the environment of a name MODULE:NAME."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


class Undeclared:
    def reset(self, seed: int | None) -> int:
        return 0

    def step(self, action: int) -> int:
        return action


@pytest.mark.parametrize("fault", OBJECTS)
def test_of_an_object(fault: str, gymnasium: Any) -> None:
    wrong, remedy, right = OBJECTS[fault]

    def served(source: Any) -> Any:
        return (source if isinstance(source, podtrack.Environment) else podtrack.Environment(source)).serve()

    with pytest.raises(podtrack.UsageError) as raised:
        served(wrong(gymnasium))
    assert remedy in str(raised.value) and "MODULE" not in str(raised.value)
    assert acts(served(right(gymnasium)))


def test_of_the_api_of_gym(gymnasium: Any) -> None:
    """There is nothing to mend: Gym's seed, and its ends of episodes."""
    importlib.import_module("gym_line")
    served = [podtrack.Environment(made).serve() for made in (
        sys.modules["gym"].make("Line-v0"), gymnasium.make("Old-v0"), gymnasium.make("Walk-v0"))]
    first, second, walk = ([each.reset(3), *(each.step(i % 2)[0] for i in range(8))] for each in served)
    assert first == second == walk
    assert gym.step_of((1, 0.5, True, {"TimeLimit.truncated": True})) == (1, 0.5, False, True)
    assert gym.step_of((1, 0.5, True, {})) == (1, 0.5, True, False)


class Many(Corridor):
    observes: Any = 5000


DIGITS = {"kind": "binary", "features": ["%d.%d" % (place, digit) for place in range(4) for digit in range(10)]}


class Digits(Corridor):
    observes = DIGITS

    def seen(self) -> Any:
        return [int(digit) == i for digit in "%04d" % self.at for i in range(10)]


PROGRAM = """
import sys; sys.path[:0] = %r
from podtrack import Environment
from podtrack.adapter.loop import serve
import %s as module
serve(Environment(module.%s, actions=%r).serve)
"""


@pytest.mark.parametrize("wrong, actions, remedy, right, is_program", [
    (Many, 2, "binary features, such as those of their decimal digits", Digits, False),
    (Many, 2, "binary features, such as those of their decimal digits", Digits, True),
    (Corridor, 200, "declare those that matter", Corridor, False),
    (Corridor, 10**12, "declare those that matter", Corridor, False),
])
def test_of_a_declaration(wrong: type, actions: int, remedy: str, right: type, is_program: bool,
                          tmp_path: Path) -> None:
    def run(kind: type, n: int) -> Any:
        env: Any = podtrack.Environment(kind, actions=n)
        if is_program:
            path = tmp_path / "program.py"
            folders = [str(Path(podtrack.__file__).parents[1]), str(Path(__file__).parent)]
            path.write_text(PROGRAM % (folders, kind.__module__, kind.__name__, n))
            env = "exec:" + shlex.join([sys.executable, str(path)])
        return podtrack.run(env=env, store=tmp_path / "runs.db", steps=20, iterations=1, kappa=0.5)

    with pytest.raises(podtrack.UsageError) as raised:
        run(wrong, actions)
    assert remedy in raised.value.remedy
    assert ("podtrack.run(check=True)" in raised.value.remedy) != is_program
    assert run(right, 2).status == "complete"


def test_of_a_flag(monkeypatch: pytest.MonkeyPatch, standins: Path, tmp_path: Path) -> None:
    """What the adapter says arrives, and what it takes does."""
    monkeypatch.setenv("PYTHONPATH", str(standins))
    monkeypatch.setenv("PODTRACK_PYTHON", sys.executable)

    def run(env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([podtrack.Binary().path, "run", "--store", tmp_path / "runs.db", "--env", "gym:" + env,
                               "--steps", "20", "--iterations", "1", "--json"], capture_output=True, text=True)

    assert "actions=3 takes 3 values of each number" in run("Torque-v0").stderr
    made = json.loads(run("Torque-v0,actions=[[-1.0],[0.5]]").stdout)
    assert made["status"] == "complete" and made["spec"]["env"]["external"]["actions"] == ["-1", "0.5"]


TEXTS: dict[str, Any] = {"NUL": "a\0b", "half a pair": "a\ud800", "None": None, "a megabyte": "x" * 10**6,
                         "a number": 3}
DESCRIBED = {"name": "c", "version": "1", "actions": 2, "observes": 3}


@pytest.mark.parametrize("given", TEXTS)
def test_texts_that_no_program_takes(given: str, store: podtrack.Store) -> None:
    """They are refused by name, wherever a text goes to podtrack."""
    text, run = TEXTS[given], store["seven"]
    calls: dict[str, Any] = {
        "note": lambda: setattr(run, "note", text), "tag": lambda: run.tag(text), "runs": lambda: store.runs(text),
        "diff": lambda: store.diff(text, run), "plot": lambda: run.plot(text), "export": lambda: run.export(text),
        "study": lambda: store.study(text),
        "record": lambda: store.record(text, version="1", env=DESCRIBED)}
    for name, call in calls.items():
        with pytest.raises(podtrack.UsageError) as refused:
            call()
        assert refused.value.remedy and len(str(refused.value)) < 300, name
        assert not isinstance(refused.value, podtrack.NotFoundError), name


def test_many_seeds(tmp_path: Path) -> None:
    for seeds in (range(10**7), list(range(0, 10**6, 2))):
        with pytest.raises(podtrack.UsageError, match="seeds.*(more than|has .* bytes)"):
            podtrack.run(store=tmp_path / "s.db", seeds=seeds, bits=3, steps=5, iterations=1)
    runs = podtrack.run(store=tmp_path / "s.db", seeds=range(3, 6), bits=3, steps=5, iterations=1)
    assert [run.seed for run in runs] == [3, 4, 5]


def test_names_of_measures_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(podtrack.UsageError, match=r"(?s)names 'a b', '', 'x{3}.*letters"):
        podtrack.measure(["ok", "a b", "", "xxx" * 30])(lambda given: {})
    with podtrack.record("r", version="1", env=DESCRIBED, steps=2, method="pod", select="threshold",
                         learner="empirical", store=tmp_path / "r.db") as run:
        with pytest.raises(podtrack.UsageError, match=r"names 'a b', '8'"):
            run.iteration(transitions={"states": [0, 1, 2], "actions": [1, 1]}, measures={"a b": 1, "8": 2})
    assert not (tmp_path / "r.db").exists()


class Mute(Exception):
    """An exception that cannot be told."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(("raised", "told"), [
    (Mute(), "Mute: its text cannot be told"), (KeyError("--allow-exec, --seeds 3"), "--allow-exec, --seeds 3")])
def test_what_an_exception_says(raised: Exception, told: str, tmp_path: Path) -> None:
    """It is told as it is, whatever podtrack would say of a flag of that name."""
    class Fails:
        actions, observes, version = 2, 4, "1"

        def reset(self, seed: int | None) -> int:
            return 0

        def step(self, action: int) -> int:
            raise raised

    with pytest.raises(podtrack.EnvironmentFailed, match=re.escape(told)) as failed:
        podtrack.run(env=Fails(), steps=10, iterations=1, store=tmp_path / "runs.db")
    assert failed.value.__cause__ is raised
