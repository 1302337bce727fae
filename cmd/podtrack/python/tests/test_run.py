"""Runs in environments of this process."""

from __future__ import annotations

import inspect
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

import podtrack
from podtrack import serving
from corridors import Box, Corridor, Discrete, GymCorridor, Lamps, Place

SPEC: dict[str, Any] = dict(steps=300, kappa=0.5, iterations=2)


def test_a_run_without_an_environment(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    run = podtrack.run(store=path, bits=6, steps=100, iterations=2, seed=3, name="ring")
    assert run.status == "complete" and len(run) == 2 and run.seed == 3 and run.name == "ring"
    assert run.resume(iterations=3).info.iterations == 3
    assert {"seeds", "env", "kappa", "check"} <= set(inspect.signature(podtrack.run).parameters)
    grid: podtrack.Run = podtrack.run(store=path, env="grid", goal=True, steps=20, iterations=1)
    assert grid.spec["env"]["params"]["goal"] == 1
    runs = podtrack.run(store=path, bits=6, steps=100, iterations=1, seeds="0-2")
    assert isinstance(runs, podtrack.Runs) and sorted(run.seed for run in runs) == [0, 1, 2]


def test_findings(tmp_path: Path) -> None:
    with pytest.warns(podtrack.PodtrackWarning, match=r"run ring, iteration 0: No direction passes.* Try kappa="):
        run = podtrack.run(store=tmp_path / "runs.db", bits=6, steps=50, iterations=1, kappa=1000, name="ring")
    (found,) = run.findings
    assert found.kind == "no_direction" and found.remedies[0].field == "kappa" and "--" not in str(found)
    assert found.json["direction"]["kappa"] == 1000


def test_fork(tmp_path: Path) -> None:
    run = podtrack.run(env=Corridor(), store=tmp_path / "runs.db", **SPEC)
    fork = run.fork(1, env=Corridor, name="higher", kappa=2)
    assert fork.spec["kappa"] == 2 and fork.name == "higher" and fork[0].link == run[0].link
    with pytest.raises(podtrack.UsageError):
        run.fork(1, env=Corridor, kappa=run.spec["kappa"])
    with pytest.raises(podtrack.UsageError, match="did you mean kappa"):
        run.fork(1, env=Corridor, kapa=3)


def test_an_object_is_the_environment(tmp_path: Path) -> None:
    store = podtrack.run(env=Corridor(), store=tmp_path / "runs.db", **SPEC).store
    run = store.runs()[0]
    declared = run.spec["env"]
    assert declared["name"] == "Corridor" and declared["external"]["actions"] == ["left", "right"]
    states = run[0].transitions.states
    assert set(abs(states[1:] - states[:-1])) <= {0, 1} or len(set(states)) <= 10
    again = podtrack.run(env=Corridor(), store=store, **{**SPEC, "iterations": 4})
    assert again.id == run.id and len(again) == 4 and again[1].link == run[1].link
    assert again.replay(env=Corridor()).identical
    assert again.resume(iterations=5, env=Corridor).info.iterations == 5


class Loose(Corridor):
    """Draws every step from a generator that no seed sets: two walks differ."""

    def step(self, action: int) -> int:
        self.at = random.SystemRandom().randrange(10)
        return self.at


def test_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    with pytest.warns(podtrack.PodtrackWarning, match="never checked: check=True"):
        podtrack.run(env=Corridor(), store=tmp_path / "runs.db", **SPEC)
    checked: dict[str, Any] = dict(store=tmp_path / "runs.db", check=True, **SPEC)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        podtrack.run(env=Corridor(), **checked)
    with pytest.warns(podtrack.PodtrackWarning, match="The environment is not reproducible"):
        podtrack.run(env=podtrack.Environment(Loose, version="1"), **checked)
    monkeypatch.delenv("PYTHONHASHSEED")
    with pytest.warns(podtrack.PodtrackWarning, match="PYTHONHASHSEED"):
        podtrack.run(env=Corridor(), **checked)


@podtrack.select(version="1")
def all_of_them(d: Any) -> Any:
    return d.sigma > 0


def test_without_the_environment_nothing_is_verified(tmp_path: Path) -> None:
    run = podtrack.run(env=Corridor(), store=tmp_path / "runs.db", **SPEC)
    with pytest.raises(podtrack.UnverifiedError) as caught:
        run.replay()
    assert caught.value.remedy == "give what is not podtrack's own: replay(env=…)"
    both = podtrack.run(env=Corridor(), select=all_of_them, store=tmp_path / "runs.db", **SPEC)
    with pytest.raises(podtrack.UnverifiedError, match="program .2., and a stage that needs its external") as caught:
        both.replay()
    assert caught.value.remedy == "give what is not podtrack's own: replay(env=…, select=…)"
    with pytest.raises(podtrack.UsageError, match="give env=…"):
        run.resume(iterations=3)
    with pytest.raises(podtrack.UsageError, match="give the environment with which the run was started"):
        run.resume(iterations=3, env=Lamps())


@pytest.mark.long
@pytest.mark.parametrize("environment", [Lamps, Place])
def test_the_same_records_as_in_a_process_of_its_own(environment: type[Corridor], tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys; sys.path[:0] = %r\n"
                       "from podtrack import Environment\nfrom podtrack.adapter.loop import serve\n"
                       "from corridors import %s as made\n"
                       "serve(Environment(made, reward=%r).serve)\n"
                       % ([str(Path(podtrack.__file__).parents[1]), str(Path(__file__).parent)], environment.__name__,
                          environment is Place))
    command = "exec:" + shlex.join([sys.executable, str(program)])
    own = podtrack.run(env=command, store=tmp_path / "own.db", **SPEC)
    here = podtrack.run(env=podtrack.Environment(environment, reward=environment is Place),
                        store=tmp_path / "here.db", **SPEC)
    assert here.id == own.id and here.head == own.head
    if environment is Place:
        rewards, episodes = here[0].transitions.rewards, here[0].transitions.episodes
        assert rewards is not None and set(rewards) == {-1.0} and episodes is not None and len(episodes)


@pytest.mark.long
def test_environments_of_gymnasium(tmp_path: Path) -> None:
    environment = GymCorridor()
    described = podtrack.Environment(environment, version="7", reward=True, bins=10)
    run = podtrack.run(env=described, store=tmp_path / "runs.db", **SPEC)
    external = run.spec["env"]["external"]
    assert len(external["features"]) == 10 and ", 7, state " in external["version"]
    assert environment.closed == 0, "an object of the caller's is not closed"
    rewards = run[0].transitions.rewards
    assert rewards is not None and set(rewards) == {0.5}
    walked = podtrack.Environment(GymCorridor, version="7", bins=5, range="walk-all", walk=200)
    made = podtrack.run(env=walked, store=tmp_path / "runs.db", **SPEC)
    assert made.spec["env"]["text"]["range"] == "0.0:9.0" and made.id != run.id
    assert made.replay(env=walked).identical


class Slow(Corridor):
    """Reports how many answers came before each step."""

    def __init__(self, sent: list[bytes]) -> None:
        super().__init__()
        self.sent, self.before = sent, [0]

    def step(self, action: int) -> Any:
        time.sleep(0.002)  # parts follow each other by 0.01: the steps last twice as long as two need
        self.before.append(len(self.sent))
        return super().step(action)


def test_an_answer_comes_in_parts(tmp_path: Path) -> None:
    sent: list[bytes] = []
    slow = Slow(sent)
    service = serving.EnvironmentService(podtrack.Environment(slow).serve())
    ask = service.begin(sent.append)
    hello = json.loads(ask(b'{"id": 1, "do": "hello", "protocol": 1, "extensions": ["steps", "frames", "parts"]}'))
    assert hello["extensions"] == ["steps", "frames", "parts"]
    ask(b'{"id": 2, "do": "reset", "seed": 1}')
    last = ask(b'{"id": 3, "do": "steps", "actions": [%s], "seconds": 5}' % b", ".join([b"1"] * 20))
    heads = [json.loads(part.partition(b"\n")[0]) for part in sent + [last]]
    assert sum(head["steps"] for head in heads) == 20 and len(heads) > 2
    assert [head.get("more") for head in heads] == [True] * len(sent) + [None]
    assert slow.before[-1] > 0, "parts are sent before the last step"


class Seven(Corridor):
    def step(self, action: int) -> Any:
        if self.at == 7:
            raise ZeroDivisionError("seven")
        return super().step(action)


def test_exceptions_are_the_cause(tmp_path: Path) -> None:
    with pytest.raises(podtrack.EnvironmentFailed, match="seven") as caught:
        podtrack.run(env=Seven(), store=tmp_path / "runs.db", **SPEC)
    assert isinstance(caught.value.__cause__, ZeroDivisionError) and "relay" not in str(caught.value)
    with podtrack.open(tmp_path / "runs.db") as store:
        assert store.runs()[0].status == "failed" or len(store.runs()[0]) == 0


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_what_ends_the_process_loses_nothing(error: type[BaseException], tmp_path: Path) -> None:
    """Such as a script that exits at SIGTERM: what is done is saved, as after Ctrl-C."""
    def select(given: podtrack.SelectInput) -> Any:
        if given.k == 2:
            raise error
        return given.sigma > 0

    with pytest.raises(error):
        podtrack.run(select=podtrack.select(select, version="1"), bits=5, steps=100, store=tmp_path / "runs.db")
    (run,) = podtrack.open(tmp_path / "runs.db").runs()
    assert run.status == "interrupted" and len(run) == 2


class Wrong(Corridor):
    def __init__(self, seen: Any) -> None:
        super().__init__()
        self.wrong = seen

    def seen(self) -> Any:
        return self.wrong


@pytest.mark.parametrize("make, words", [
    (lambda: 3, "reset and step"),
    (lambda: (lambda: 3), "makes an environment"),
    (lambda: podtrack.Environment(Corridor(), bins=8), "actions and observes"),
    (lambda: podtrack.Environment(GymCorridor(), version="1", colour=8), "gymnasium"),
    (lambda: podtrack.Environment(GymCorridor(), version="1", bins=8, range="walk"), "gymnasium"),
    (lambda: podtrack.Environment(Corridor(), observes={"kind": "odd"}), "discrete"),
    (lambda: podtrack.Environment(Corridor(), name="grid"), ""),
    (lambda: podtrack.Environment(Corridor(), actions=[]), ""),
    (lambda: Wrong(10), ""),
    (lambda: Wrong(1.5), ""),
    (lambda: Wrong(None), ""),
    (lambda: Wrong((1, 2)), "cause"),
    (lambda: "nonsense", "the environments are"),
])
def test_what_is_no_environment(make: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(podtrack.UsageError) as caught:
        podtrack.run(env=make(), store=tmp_path / "runs.db", **SPEC)
    assert words in caught.value.remedy and caught.value.message


@pytest.mark.parametrize("spec, words", [
    ({"colour": 3}, "lists those of specs"), ({"kapa": 3}, "did you mean kappa"), ({"json": True}, "lists those"),
    ({"kappa": "high"}, ""),
    ({"iterations": -1}, ""), ({"seed": "0 --store=other.db"}, ""),
])
def test_wrong_specs(spec: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(podtrack.UsageError) as caught:
        podtrack.run(store=tmp_path / "runs.db", **spec)
    assert words in caught.value.remedy
    assert not (tmp_path / "runs.db").exists()


class Interrupting(Corridor):
    """Sends SIGINT to this process after some steps. They are counted where they are no part of its identity."""

    def step(self, action: int) -> Any:
        taken = int(os.environ["PODTRACK_TEST_TAKEN"]) + 1
        os.environ["PODTRACK_TEST_TAKEN"] = str(taken)
        if taken == 500:
            os.kill(os.getpid(), signal.SIGINT)
        return super().step(action)


@pytest.mark.long
def test_interrupts_save_and_the_same_call_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODTRACK_TEST_TAKEN", "0")
    spec = {**SPEC, "steps": 2000, "iterations": 3}
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(podtrack.InterruptedRun) as caught:
        podtrack.run(env=podtrack.Environment(Interrupting, name="c"), store=tmp_path / "runs.db", **spec)
    assert caught.value.code == 130 and "same call" in caught.value.remedy
    assert signal.getsignal(signal.SIGINT) is before
    with podtrack.open(tmp_path / "runs.db") as store:
        assert store.runs()[0].status == "interrupted"
    resumed = podtrack.run(env=podtrack.Environment(Interrupting, name="c"), store=tmp_path / "runs.db", **spec)
    whole = podtrack.run(env=podtrack.Environment(Corridor, name="c"), store=tmp_path / "whole.db", **spec)
    assert resumed.head == whole.head


def test_in_another_thread(tmp_path: Path) -> None:
    made: list[podtrack.Run] = []
    thread = threading.Thread(
        target=lambda: made.append(podtrack.run(env=Corridor(), store=tmp_path / "runs.db", **SPEC)))
    thread.start()
    thread.join()
    assert made[0].status == "complete"


@pytest.mark.long
def test_many_seeds_use_one_object(tmp_path: Path) -> None:
    runs = podtrack.run(env=Corridor(), store=tmp_path / "runs.db", seeds="0-3", **SPEC)
    alone = podtrack.run(env=Corridor, store=tmp_path / "alone.db", seed=2, **SPEC)
    assert {run.seed: run.head for run in runs}[2] == alone.head and len(runs) == 4


def test_a_long_path_of_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / ("long" * 25)
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    run = podtrack.run(env=Corridor(), store=tmp_path / "runs.db", **SPEC)
    assert run[0].transitions.states.size == 301 and run.replay(env=Corridor()).identical


def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    threads = threading.active_count()
    store = podtrack.run(env=Corridor(), store=tmp_path / "runs.db", **SPEC).store
    store.close()
    assert not list((tmp_path / "temporary").iterdir())
    assert threading.active_count() <= threads
    out = subprocess.run(["ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    assert "relay.py" not in out.stdout
    assert Box and Discrete
