"""What a process holds: its forks have none of it, and what it started ends with it."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

import podtrack
from podtrack import relay, serving
from podtrack.stage_service import StageService

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")

DESCRIBED = {"name": "c", "version": "1", "actions": ["l", "r"], "observes": 6}
STEPS = {"states": [3, 4, 3, 2, 3], "actions": [1, 0, 0, 1]}


def in_fork(function: Callable[[], object]) -> int:
    """Returns the exit code of a fork that calls a function and ends as Python does: 0 if it returned."""
    child = os.fork()
    if not child:
        code = 1
        try:
            function()
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_workers_read_a_run_that_was_opened_before(made: Path) -> None:
    run, own = podtrack.open(made)["seven"], podtrack.open(made)["seven"]
    expected = [int(own[k].transitions.states.sum()) for k in range(4)]
    run[0].transitions.states

    def read(k: int) -> None:
        assert int(run[k].transitions.states.sum()) == expected[k] and run[k].array("q") is not None

    assert [in_fork(lambda: read(k)) for k in range(4)] == [0] * 4
    assert [int(run[k].transitions.states.sum()) for k in range(4)] == expected


def test_what_workers_leave_is_removed(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with podtrack.open(made) as store:
        OPENED.append(store["seven"])
        OPENED[0][0].transitions.states
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert len(pool.map(read_opened, range(4), chunksize=1)) == 4
            pool.close()
            pool.join()
        assert len([path for path in tmp_path.iterdir() if path.name.startswith("podtrack-python-")]) == 1
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("podtrack-python-")]


OPENED: list[podtrack.Run] = []


def read_opened(k: int) -> int:
    return int(OPENED[0][k].transitions.states.sum())


def test_a_fork_does_not_record_into_a_recording_of_its_parent(tmp_path: Path) -> None:
    run = podtrack.record("r", algorithm="x", version="1", env=DESCRIBED, steps=4, kappa=0.1, method="pod",
                          select="threshold", learner="empirical", store=tmp_path / "r.db")
    run.iteration(transitions=STEPS)

    def record() -> None:
        with pytest.raises(podtrack.UsageError, match="process %d records this run" % os.getppid()):
            run.iteration(transitions=STEPS)
        run.close()
        run._closing()

    assert in_fork(record) == 0
    run.iteration(transitions=STEPS)
    run.close()
    assert len(run.run) == 2


def test_a_page_lives_on_when_a_fork_ends(made: Path) -> None:
    with podtrack.open(made) as store:
        page = store.serve()
        assert in_fork(store.close) in (0, 1)
        with urllib.request.urlopen(page.address) as answer:
            assert answer.status == 200


PARENTS = {
    "serve": "page = podtrack.open(path).serve()",
    "run": "threading.Thread(target=lambda: podtrack.run(store=path, seed=3, steps=1000, iterations=9999)).start()",
    "a call": "threading.Thread(target=lambda: podtrack.Binary().run(['run', '--seed', '4', '--iterations', '9999',"
              " '--store', path])).start()",
    "an environment": """
class Slow:
    actions, observes, at = 2, 4, 0
    def reset(self, seed): return 0
    def step(self, action): time.sleep(.01); self.at = (self.at + action) % 4; return self.at
threading.Thread(target=lambda: podtrack.run(store=path, env=Slow, steps=10**6, iterations=9)).start()""",
}


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which processes there are")
@pytest.mark.parametrize("doing", PARENTS)
def test_what_was_started_ends_with_the_process(made: Path, doing: str, tmp_path: Path) -> None:
    """Even if a fork of it lives on."""
    program = ("import os, sys, threading, time, podtrack\npath = sys.argv[1]\n%s\ntime.sleep(.5)\n"
               "if not os.fork(): time.sleep(8); os._exit(0)\nprint(flush=True)\ntime.sleep(99)" % PARENTS[doing])
    path = tmp_path / "podtrack.db"
    path.write_bytes(made.read_bytes())
    parent = subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE)
    assert parent.stdout is not None and parent.stdout.readline()
    started = [pid for pid in children_of(parent.pid) if os.readlink("/proc/%d/exe" % pid) == program_path()]
    assert len(started) == 1
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 3
    while os.path.exists("/proc/%d" % started[0]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not os.path.exists("/proc/%d" % started[0])


@pytest.mark.parametrize("died", [False, True])
def test_podtrack_learns_of_a_death_by_its_lifeline(died: bool, tmp_path: Path) -> None:
    """And not by the end of a program, which would be taken for its failure: a relay keeps the pipes open."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        program = subprocess.Popen([sys.executable, "-I", "-S", relay.__file__, str(tmp_path / "s"), "stages"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        connection = serving.Connection(listener.accept()[0], {"stages": StageService({})})
        if died:
            os.close(connection.requests)
            os.close(connection.answers)
            connection.channel.close()
        else:
            connection.close()
    with program:
        assert bool(select.select([program.stdout], [], [], 0.3 if died else 60)[0]) != died
        program.kill()


def program_path() -> str:
    return os.path.realpath(podtrack.Binary().path)


def children_of(pid: int) -> list[int]:
    """Returns the processes that a process started, whichever of its threads did."""
    return [int(child) for task in os.listdir("/proc/%d/task" % pid)
            for child in Path("/proc/%d/task/%s/children" % (pid, task)).read_text().split()]
