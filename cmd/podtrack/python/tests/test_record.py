"""Algorithms that are recorded."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podtrack
from podtrack import environment, record_service
from podtrack.record_service import RecordService

CORRIDOR = dict(name="corridor", version="1", actions=["left", "right"], observes=8)


POD: dict[str, Any] = dict(method="pod", select="threshold", kappa=0.1, learner="empirical")


def iteration(k: int, n: int = 60) -> dict[str, Any]:
    """Returns an iteration of an algorithm: a drifting walk, two random directions, of which one is kept, and
    values by sweeps."""
    rng = np.random.default_rng(k)
    states = [4]
    actions = (rng.random(n) < 0.6).astype(int)
    for a in actions:
        states.append(int(np.clip(states[-1] + (1 if a else -1), 0, 7)))
    vectors = np.linalg.qr(rng.normal(size=(8, 2)))[0].T
    seen, values = set(zip(states, actions)), []
    for w in (vectors[0], -vectors[0]):
        v = np.zeros(8)
        for _ in range(50):
            new = np.zeros(8)
            for s, a in seen:
                t = int(np.clip(s + (1 if a else -1), 0, 7))
                new[s] = max(new[s], w[t] - w[s] + 0.9 * v[t])
            v = new
        values.append(v)
    return dict(transitions=dict(states=states, actions=actions), factors=([2.0, 1.0], vectors),
                purposes=[True, False], values=values)


@pytest.mark.parametrize("sides", ["one", "published"])
def test_one_sign(tmp_path: Path, sides: str) -> None:
    """Where signs are chosen, a direction has the values of one option; published is the sign with a sum below 0."""
    given = iteration(0)
    with recording(tmp_path / "runs.db", sides=sides) as run:
        run.iteration(**{**given, "values": given["values"][:1]})
        assert len(run.options) == 1
    purpose = run.run[0].options[0].why().purpose.vector
    assert sides == "one" or np.sum(purpose) < 0


def test_warnings_are_for_who_records(tmp_path: Path) -> None:
    """A recording is told of no flag that it did not give or cannot, and of no κ that its own code did not use."""
    given = {**iteration(0), "purposes": [False, False], "values": []}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with recording(tmp_path / "own.db", kappa=100) as run:
            for _ in range(3):
                run.iteration(**given)
        with recording(tmp_path / "walk.db", env=Corridor(), collect="walk", method="pod", kappa=0.1,
                       select="threshold", learner="empirical", check=True) as run:
            run.iteration()
            run.iteration()
    with pytest.raises(podtrack.UsageError, match="check=True: nothing acts in the environment"):
        recording(tmp_path / "none.db", check=True)


class Corridor:
    actions, observes, version = 2, 8, "1"

    def reset(self, seed: int | None) -> int:
        self.at = 4
        return 4

    def step(self, action: int) -> int:
        self.at = min(max(self.at + 2 * action - 1, 0), 7)
        return self.at


def recording(store: Path, **changes: Any) -> podtrack.Recording:
    given: dict[str, Any] = dict(version="1", parameters={"p": 0.6}, env=CORRIDOR, steps=60)
    return podtrack.record("mine", store=store, **{**given, **changes})


def test_an_algorithm(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with recording(path) as run:
        assert run.next == 0 and run.options == []
        for k in range(2):
            link = run.iteration(**iteration(k))
    assert run.run[1].link == link == run.run.head and run.run.spec["stages"]["collect"]["params"] == {"p": "0.6"}
    given = iteration(1)
    assert run.run[1].transitions.actions.tolist() == given["transitions"]["actions"].tolist()
    order = run.states()
    assert (run.run[1].options[0].values == given["values"][0][order]).all()
    with recording(path) as again:  # as another process would
        assert again.next == 2 and len(again.options) == 4
        again.iteration(**iteration(2))
    with recording(tmp_path / "whole.db") as whole:
        for k in range(3):
            head = whole.iteration(**iteration(k))
    assert again.run.head == head
    why = again.run[1].options[0].why()
    assert why.verified and why.purpose.directions_from == why.purpose.selected_by == "mine 1"
    assert "nothing proves" in why.purpose.warnings[0] and "nothing proves" in why._repr_html_()
    assert "<td>claimed</td>" in again.replay()._repr_html_()
    assert abs(sum(e.share for e in why.evidence) - 1) < 1e-9
    assert why.dataset.rows == 60 and all(source.without is None for source in why.sources)
    assert why.json["levels"][0]["level"] == "claimed"
    assert "svg" in again.run[1].options[0].plot().svg


def test_one_request_an_iteration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked after the last steps is answered with them, and the records are the same as if it was not."""
    asked: list[str] = []
    answer = RecordService.answer

    def noted(self: RecordService, request: dict[str, Any]) -> bytes:
        asked.append(request["do"])
        return answer(self, request)

    def record(path: Path) -> str:
        with recording(path) as run:
            run.iteration(**iteration(0), measures={"score": 1})
            asked.clear()
            head = run.iteration(**iteration(1), measures={"score": 2})
        return head

    monkeypatch.setattr(RecordService, "answer", noted)
    monkeypatch.setattr(record_service, "BATCH", 25)
    head = record(tmp_path / "runs.db")
    assert asked == ["collect"] * 4  # 60 steps, and then those of the next iteration
    monkeypatch.setattr(RecordService, "_ahead", lambda self, request: [])
    assert record(tmp_path / "asked.db") == head
    assert asked == ["collect"] * 3 + ["method", "select", "learn", "learn", "measure", "collect"]


def test_the_built_in_algorithm(tmp_path: Path) -> None:
    spec: dict[str, Any] = dict(bits=5, steps=200, seed=3)
    built_in = podtrack.run(store=tmp_path / "runs.db", iterations=2, **spec)
    with podtrack.record("same", version="1", select="threshold", store=tmp_path / "runs.db", **spec) as run:
        for it in built_in:
            run.iteration(transitions=dict(states=it.transitions.states, actions=it.transitions.actions,
                                           options=it.transitions.options),
                          factors=(it.factors.sigma, it.factors.V.T), values=it.values, options=it.policies)
    diff = run.run.diff(built_in)
    assert diff.parted is None  # their records are the same
    with pytest.raises(podtrack.UnverifiedError, match="only the algorithm that was recorded"):
        run.run.replay()
    levels = {stage["stage"]: stage["level"] for stage in run.replay().json["iterations"][1]["stages"]}
    assert levels == {"collect": "verified", "factor": "verified", "learn": "verified", "measure": "recomputed"}
    assert levels == {name: of.level for name, of in run.run.levels.items()}


def test_measures(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with recording(path) as run:
        run.iteration(**iteration(0), measures={"score": np.float32(1.5), "loss": None})
        with pytest.raises(podtrack.UsageError, match="lacks measures"):
            run.iteration(**iteration(1))
        with pytest.raises(podtrack.PodtrackError, match="does not declare"):
            run.iteration(**iteration(1), measures={"scoer": 1})
        with pytest.raises(podtrack.UsageError, match="not finite"):
            run.iteration(**iteration(1), measures={"score": np.nan})
    with recording(path) as run:
        run.iteration(**iteration(1), measures={"loss": 3, "score": 2})
    found = run.run
    assert found[0].measures["score"] == 1.5 and found[0].measures["loss"] is None
    assert found[1].measures.external == {"score": 2.0, "loss": 3.0}
    assert found[1].measures["states_visited"] == found[1].measures.states_visited
    assert "<th>loss</th><th>score</th>" in found._repr_html_() and '<td style="text-align: right">1.5</td>' in (
        found[0]._repr_html_())
    assert np.array_equal(found[0].array("external_measures"), [np.nan, 1.5], equal_nan=True)  # loss, score
    store = podtrack.open(path)
    assert [r.name for r in store.runs("score>1.8")] == ["mine"] and len(store.runs("score>2")) == 0
    assert store.runs().measures()[0]["score"] == 1.5
    with recording(tmp_path / "none.db") as plain:
        plain.iteration(**iteration(0))
        with pytest.raises(podtrack.UsageError, match="has measures"):
            plain.iteration(**iteration(1), measures={"score": 1})
    assert plain.run[0].link != found[0].link


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "steps": (dict(transitions=iteration(0, 50)["transitions"]), "shape (50,)"),
    "an action": (dict(transitions=dict(iteration(0)["transitions"], actions=[2] * 60)), "took action 2; there are"),
    "a state": (dict(transitions=dict(iteration(0)["transitions"], states=[8] * 61)), "from 0 to 7: 8.0 at 0"),
    "an array that is none": (dict(transitions=dict(iteration(0)["transitions"], action=[0] * 60)), "have 'action'"),
    "no actions": (dict(transitions=dict(states=[0] * 61)), "lack states or actions"),
    "NaN": (dict(values=[[0.0] * 8, [0.0] * 7 + [np.nan]]), "not finite: nan at 7"),
    "complex values": (dict(values=[[1j] * 8] * 2), "complex"),
    "negative values": (dict(values=[[-1.0] * 8] * 2), "finite values of at least 0"),
    "values of fewer": (dict(values=[[0.0] * 7] * 2), "8 observations"),
    "values of other options": (dict(values=[[0.0] * 8] * 3), "the kept directions make 2"),
    "length": (dict(factors=([2.0, 1.0], 2 * iteration(0)["factors"][1])), "length 2"),
    "σ": (dict(factors=([1.0, 2.0], iteration(0)["factors"][1])), "larger than"),
    "columns": (dict(factors=([1.0], [[1.0, 0.0]])), "shape (1, 2)"),
    "decisions": (dict(purposes=[True]), "2 directions"),
    "numbers for decisions": (dict(purposes=[1.0, 0.0]), "float64"),
    "an option": (dict(transitions=dict(iteration(0)["transitions"], options=[3] * 60)), "not in the action set"),
    "a policy": (dict(options=[[0] * 8] * 2), "follows from the values or weights"),
    "an end": (dict(transitions=dict(iteration(0)["transitions"], terminated=[1] * 60)), "next_states"),
    "rewards": (dict(transitions=dict(iteration(0)["transitions"], rewards=[1] * 60)), "rewards"),
    "nothing": (dict(values=None), "lacks values"),
}


OTHERS: list[dict[str, Any]] = [
    {"version": "2"}, {"parameters": {"p": 0.7}}, {"parameters": None}, {"steps": 61}, {"seed": 1}, {"gamma": 0.5},
    {"env": {**CORRIDOR, "version": "2"}}, {"env": {**CORRIDOR, "actions": 2}}, {"algorithm": "other"},
    {"learner": "empirical"}, {"parameters": {"p": np.arange(2000)}},
]


def test_another_recording_of_the_same_name(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with recording(path) as run:
        head = run.iteration(**iteration(0))
    for changes in OTHERS:
        with pytest.raises(podtrack.UsageError) as raised:
            recording(path, **changes)
        assert "mine" in str(raised.value) and raised.value.remedy, changes
    again = recording(path)
    assert again.next == 1 and again.run.head == head


@pytest.mark.parametrize("name", ["values of other options", "a policy"])
def test_wrong(tmp_path: Path, name: str) -> None:
    with recording(tmp_path / "runs.db") as run:
        check_wrong(run, *WRONG[name])
        given = iteration(0)
        run.iteration(**given)
        recorded = run.run[0].transitions.states
        assert np.array_equal(run.states()[recorded], given["transitions"]["states"])
    assert len(run.run) == run.next == 1


@pytest.mark.long
def test_all_wrong(tmp_path: Path) -> None:
    with recording(tmp_path / "runs.db") as run:
        for change, message in WRONG.values():
            check_wrong(run, change, message)
        run.iteration(**iteration(0))
    assert len(run.run) == 1
    with pytest.raises(podtrack.PodtrackError):
        recording(tmp_path / "runs.db", version="2").iteration(**iteration(1))
    with pytest.raises(podtrack.UsageError):
        recording(tmp_path / "runs.db", version="")
    with pytest.raises(podtrack.UsageError, match='steps "many"'):
        recording(tmp_path / "runs.db", steps="many").iteration(**iteration(1))


def check_wrong(run: podtrack.Recording, change: dict[str, Any], message: str) -> None:
    with pytest.raises(podtrack.PodtrackError) as raised:
        run.iteration(**{**iteration(0), **change})
    assert message in str(raised.value) and raised.value.remedy and run.next == 0
    assert "relay" not in raised.value.remedy  # what this process served ends with the call


def test_episodes_of_rows(tmp_path: Path) -> None:
    env = dict(name="place", version="1", actions=2, observes=["x", "y"], reward=True)
    seen = np.array([[0.0, 1.0], [1.0, 1.0], [5.0, 5.0], [6.0, 5.0]])
    steps = podtrack.Steps(states=seen, actions=[0, 1, 0], next_states=[seen[1], [2.0, 2.0], seen[3]],
                           terminated=[0, 1, 0], rewards=[0.5, -1, 0])
    with podtrack.record("rows", version="1", env=env, steps=3, method="pod", select="threshold", kappa=100,
                         learner="lspi", store=tmp_path / "runs.db") as run:
        assert len(run.states(steps)) == 5
        run.iteration(transitions=steps)
    done = run.run[0].transitions
    assert done.rewards is not None and done.rewards.tolist() == [0.5, -1, 0]
    assert done.episodes is not None and done.episodes.tolist()[0][0] == 2
    assert (run.states() == run.states(steps)).all()


@pytest.mark.long
def test_topic(tmp_path: Path) -> None:
    topic = Path(__file__).parents[2] / "internal" / "help" / "topics" / "python.md"
    program = topic.read_text().split("```py\n")[1].split("```")[0]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True)
        assert done.stdout.decode() == "<Run mine: corridor, seed 0, 4 of 4 iterations, complete> 16\n", done.stderr


def test_podtrack_dies(tmp_path: Path) -> None:
    with recording(tmp_path / "runs.db") as run:
        run.iteration(**iteration(0))
        assert run._call is not None
        run._call.process.kill()
        with pytest.raises(podtrack.PodtrackError, match="signal 9") as raised:
            run.iteration(**iteration(1))
        assert raised.value.remedy and run.next == 1
        link = run.iteration(**iteration(1))
    assert run.run.head == link and run.run.status == "complete" and len(run.run) == 2


def test_two_recordings(tmp_path: Path) -> None:
    with recording(tmp_path / "runs.db") as first:
        first.iteration(**iteration(0))
        assert first.run.status == "running"  # whatever waits for the next iteration
        with recording(tmp_path / "runs.db") as second, pytest.raises(podtrack.LockedError) as raised:
            second.iteration(**iteration(1))
        assert raised.value.remedy
        first.close()
        second.iteration(**iteration(1))
        second.close()
        with pytest.raises(podtrack.PodtrackError, match="other iterations than this recording"):
            first.iteration(**iteration(1))  # which another one has recorded since


@pytest.mark.parametrize("spec", [POD, {**POD, "env": Corridor(), "collect": "walk"}])
def test_threads_record_one_after_another(tmp_path: Path, spec: dict[str, Any]) -> None:
    given = {} if "collect" in spec else {"transitions": iteration(0)["transitions"]}
    with recording(tmp_path / "runs.db", **spec) as run, ThreadPoolExecutor(4) as threads:
        links = list(threads.map(lambda _: run.iteration(**given), range(4)))
    assert {it.link for it in run.run} == set(links) and run.next == len(links) and run.run.status == "complete"


WAITS = """
import sys; sys.path[:0] = sys.argv[1:3]
import os, signal, test_record
run = test_record.recording(sys.argv[3])
run.iteration(**test_record.iteration(0))
print(run._call.process.pid, flush=True)
if sys.argv[4] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[4] == "interrupt":
    with run:
        os.kill(os.getpid(), signal.SIGINT)
"""


def test_interpreter_ends(tmp_path: Path) -> None:
    here = Path(__file__).parent
    ways = {how: subprocess.Popen([sys.executable, "-c", WAITS, here.parent, here, tmp_path / how, how],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for how in ("kill", "interrupt", "exit")}
    for how, python in ways.items():
        check_continues(tmp_path / how, python.communicate()[0])


def check_continues(path: Path, pid: bytes) -> None:
    until = time.monotonic() + 10
    while os.path.exists("/proc/%d" % int(pid)) and time.monotonic() < until:  # it notices, and ends
        time.sleep(0.05)
    run = podtrack.open(path)["mine"]
    assert len(run) == 1 and run.status == "interrupted"
    with recording(path) as again:
        assert again.iteration(**iteration(1))
    assert again.run.status == "complete"


@pytest.mark.parametrize("end", ["close", "exception", "exit", "gone", "reopened"])
def test_the_status_of_what_was_recorded(tmp_path: Path, end: str) -> None:
    run = recording(tmp_path / "runs.db", **POD)
    given = {"transitions": iteration(0)["transitions"]}
    run.iteration(**given)
    assert run.run.status == "running"
    if end == "close":
        run.close()
        assert run.run.status == "complete"
        recording(tmp_path / "runs.db", **POD).close()  # nothing was recorded: it stays what it was
        assert run.run.status == "complete"
    if end == "exception":
        with pytest.raises(ZeroDivisionError), run:
            1 / 0
        assert run.run.status == "failed" and "ZeroDivisionError: division by zero" in run.run.info.failure
    if end == "exit":
        with pytest.raises(SystemExit), run:
            sys.exit()
        assert run.run.status == "interrupted"
    if end == "gone":
        del run
        gc.collect()
        assert podtrack.open(tmp_path / "runs.db")["mine"].status == "interrupted"
    if end == "reopened":
        with pytest.raises(ZeroDivisionError), run:
            1 / 0
        with recording(tmp_path / "runs.db", **POD) as run:
            assert run.run.status == "failed"
            run.iteration(**given)
        assert run.run.status == "complete" and run.run.info.failure == ""


def test_a_recording_with_a_target(tmp_path: Path) -> None:
    given = {"transitions": iteration(0)["transitions"]}
    with recording(tmp_path / "runs.db", iterations=2, **POD) as run:
        run.iteration(**given)
    assert run.run.status == "interrupted" and run.run.info.target == 2
    with recording(tmp_path / "runs.db", iterations=2, **POD) as run:
        run.iteration(**given)
        with pytest.raises(podtrack.UsageError, match="iterations=2 are recorded"):
            run.iteration(**given)
    assert run.run.status == "complete"


@pytest.mark.parametrize("iterations", [None, 2])
def test_the_status_where_podtrack_collects(tmp_path: Path, iterations: int | None) -> None:
    """Each iteration is a process of its own then."""
    spec: dict[str, Any] = dict(env=Corridor(), collect="walk", method="pod", kappa=100, select="threshold",
                                iterations=iterations)
    with recording(tmp_path / "runs.db", **spec) as run:
        run.iteration(values=[])
        assert run.run.status == "interrupted"
        run.iteration(values=[])
    assert run.run.status == "complete"
    for error in (ZeroDivisionError("seven"), SystemExit(1)):
        with pytest.raises(type(error)), recording(tmp_path / type(error).__name__, **spec) as run:
            run.iteration(values=[])
            raise error
        expected = ("interrupted", "") if isinstance(error, SystemExit) else ("failed", "ZeroDivisionError: seven")
        assert (run.run.status, run.run.info.failure) == expected
    environment = Corridor()
    with recording(tmp_path / "third.db", **{**spec, "env": environment, "iterations": 3}) as run:
        run.iteration(values=[])
        environment.step = lambda action: 1 // 0  # type: ignore[method-assign]
        with pytest.raises(podtrack.EnvironmentFailed):
            run.iteration(values=[])
    assert run.run.status == "failed" and "after 0 of 60 steps" in run.run.info.failure


def test_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded is not asked for again, where a session has other packages than the one before."""
    for version in "12":
        told = {"packages": {"arrays": version}, "digests": {}}
        monkeypatch.setattr(environment, "code_told", lambda own, files, told=told: told)
        with recording(tmp_path / "own.db") as run:
            run.iteration(**iteration(run.next))
        with recording(tmp_path / "walk.db", env=Corridor(), collect="walk") as walk:
            walk.iteration(factors=iteration(0)["factors"], purposes=[False, False], values=[])
    assert len(run.run) == len(walk.run) == 2


class Untold(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("spec", [POD, {**POD, "env": Corridor(), "collect": "walk"}])
def test_every_exception_is_told(tmp_path: Path, spec: dict[str, Any]) -> None:
    errors = [Untold(), ExceptionGroup("two", [ValueError(1)]), RecursionError("deep"), MemoryError(), StopIteration(),
              podtrack.UsageError("wrong"), ValueError("NUL \0, half a pair \udcff" + 2_000_000 * "–")]
    given = {} if "collect" in spec else {"transitions": iteration(0)["transitions"]}
    for k, error in enumerate(errors):
        with pytest.raises(type(error)), recording(tmp_path / "runs.db", **spec) as run:
            run.iteration(**given)
            raise error
        told = "wrong" if isinstance(error, podtrack.UsageError) else type(error).__name__
        assert run.run.status == "failed" and told in run.run.info.failure and len(run.run) == k + 1


KILLED = """
import sys; sys.path[:0] = sys.argv[1:3]
import os, signal, test_record
with test_record.recording(sys.argv[3]) as run:
    run.iteration(**test_record.iteration(0))
    given = test_record.iteration(1)
    class Values(list):
        def __getitem__(self, i):
            os.kill(os.getpid(), signal.SIGKILL)
    run.iteration(**{**given, "values": Values(given["values"])})
"""


@pytest.mark.long
def test_killed(tmp_path: Path) -> None:
    here = Path(__file__).parent
    path = tmp_path / "runs.db"
    died = subprocess.run([sys.executable, "-c", KILLED, str(here.parent), str(here), str(path)], env=os.environ)
    assert died.returncode == -signal.SIGKILL
    with recording(tmp_path / "whole.db") as whole:
        for k in range(2):
            head = whole.iteration(**iteration(k))
    with recording(path) as run:
        assert run.next == 1
        assert run.iteration(**iteration(1)) == head


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of files there")
@pytest.mark.parametrize("collects", ["", "walk"])
def test_a_disk_without_room(tmp_path: Path, collects: str) -> None:
    """The error names the iteration that was given, what was acknowledged is there, and the run goes on later."""
    program = """if 1:
        import resource, sys, podtrack, test_record as t
        own = dict(env=t.Corridor(), collect="walk", **t.POD) if sys.argv[2] else {}
        run = t.recording(sys.argv[1], steps=3000, **own)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 17, 3 << 17))
        try:
            with run:
                while True:
                    run.iteration(**{} if own else t.iteration(run.next, 3000))
        except podtrack.StorageError as failed:
            assert str(failed).startswith("iteration %d: " % run.next), failed
            assert not isinstance(failed, podtrack.UsageError)
            print(run.next)
    """
    path = tmp_path / "runs.db"
    done = subprocess.run([sys.executable, "-c", program, path, collects], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parent)])})
    assert done.returncode == 0, done.stderr
    run = podtrack.open(path)["mine"]
    assert len(run) == int(done.stdout) > 0 and run.status in ("interrupted", "failed")
    spec: dict[str, Any] = dict(env=Corridor(), collect="walk", **POD) if collects else {}
    with recording(path, steps=3000, **spec) as more:
        more.iteration(**{} if collects else iteration(more.next, 3000))
    assert more.run.status == "complete" and len(more.run) == len(run) + 1
