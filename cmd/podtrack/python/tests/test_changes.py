"""What can change under a half-finished run, and what resume, replay and the same call again make of it."""

from __future__ import annotations

import atexit
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import podtrack

pytestmark = pytest.mark.packages

MINE = """
import os
from pathlib import Path

import gymnasium
%s

SPEED = 1


def above(limit):
    return lambda x: x > limit


class Corridor(gymnasium.Env):
    def __init__(self, jump=1, limit=25):
        self.action_space, self.observation_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(20)
        self.jump, self.ends = jump, above(limit)
        self.level = int((Path(__file__).parent / "level.txt").read_text())

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = %s
        return self.at, {}

    def step(self, action):
        by = self.jump * self.level * SPEED * int(os.environ.get("STRIDE", "1"))
        self.at = max(0, min(19, self.at + (by if action else -1)))
        return self.at, 0.0, self.ends(self.at), False, {}
"""

CHILD = """
import json, sys, warnings
import podtrack
name, given, speed, calls = json.loads(sys.argv[1])
told = {}
if name == "object":
    import mine
    mine.SPEED = speed

def env():
    return mine.Corridor(**given) if name == "object" else name

def perform(call, path):
    if call in ("begin", "whole", "run"):
        return podtrack.run(env=env(), steps=50, learner="empirical", select="top=1", max_option_steps=20, store=path,
                            iterations=1 if call == "begin" else 2)
    run = podtrack.open(path).runs()[0]
    if call == "replay":
        return run.replay(env=env())
    if call.startswith("run.fork("):
        return eval(call.replace("env=…", "env=env()").replace("seed=N", "seed=7"))
    return run.resume(2, env=env(), changed_code=call == "changed")

for call, path in calls:
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", ".* was never checked")
        try:
            made = perform(call, path)
            result, head, text = getattr(made, "id", None) or made.identical, getattr(made, "head", None), ""
        except podtrack.PodtrackError as error:
            result, head, text = type(error).__name__, None, str(error)
    told[call] = [result, head, "\\n".join([text, *(str(each.message) for each in noted)]).strip()]
print(json.dumps(told))
"""


class Project:
    """A folder with an environment: a module, a package that is being edited or one that is installed."""

    def __init__(self, folder: Path, form: str, kind: str, source: tuple[str, ...]) -> None:
        self.folder, self.form, self.python = folder, form, sys.executable
        self.path, self.variables, self.given, self.speed = [folder / "path"], dict[str, str](), dict[str, int](), 1
        installed = folder / "site-packages"
        if kind != "module":
            self.path = [installed if kind == "package" else folder / "path", installed]
            (installed / "mine-1.0.dist-info").mkdir(parents=True)
            (installed / "mine-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
        self.code = self.path[0] / ("mine.py" if kind == "module" else "mine/__init__.py")
        self.data = self.code.parent / "level.txt"
        self.code.parent.mkdir(parents=True, exist_ok=True)
        self.code.write_text(MINE % source)
        self.data.write_text("1")
        if form.startswith("gym:ALE"):
            import ale_py

            path = Path(ale_py.__file__).parent
            shutil.copytree(path, installed / "ale_py", ignore=shutil.ignore_patterns("__pycache__"))
            (installed / "ale_py.libs").symlink_to(path.with_name("ale_py.libs"))
            self.data = installed / "ale_py/roms/freeway.bin"

    def calls(self, *calls: tuple[str, Path]) -> dict[str, Any]:
        """Makes calls, each with a store, in a process of their own, and returns what each gave."""
        path = [str(each) for each in (*self.path, Path(podtrack.__file__).parents[1])]
        asked = [self.form, self.given, self.speed, [(call, str(store)) for call, store in calls]]
        done = subprocess.run(
            [self.python, "-c", CHILD, json.dumps(asked)], capture_output=True, text=True, cwd=self.folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "PODTRACK_PYTHON": self.python, **self.variables})
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return told

    def edit(self, old: str, new: str) -> None:
        text = self.code.read_text()
        assert old in text
        self.code.write_text(text.replace(old, new))

    def edit_rom(self) -> None:
        """Changes a byte of the ROM, and the sum by which ale-py knows it."""
        before = self.data.read_bytes()
        after = before[:-1] + bytes([before[-1] ^ 1])
        self.data.write_bytes(after)
        sums = self.data.with_name("md5.json")
        old, new = (hashlib.md5(each).hexdigest() for each in (before, after))
        sums.write_text(sums.read_text().replace(old, new))

    def use(self, variable: str) -> None:
        """Puts a folder with other versions of packages first on the path."""
        if variable not in os.environ:
            pytest.skip("%s names no folder of packages" % variable)
        self.path.insert(0, Path(os.environ[variable]))


@functools.lru_cache(None)
def begun(*project: Any) -> tuple[Path, str, str]:
    """Returns a store with the first iteration of a run, the run, and the head that it has after two."""
    folder = Path(tempfile.mkdtemp(prefix="podtrack-changes-"))
    atexit.register(shutil.rmtree, folder)
    told = Project(folder / "project", *project).calls(("begin", folder / "begun.db"), ("whole", folder / "whole.db"))
    assert told["begin"][0] == told["whole"][0] and told["whole"][1], told
    return folder / "begun.db", told["begin"][0], told["whole"][1]


def outcome(call: str, result: Any, run: str) -> str:
    """Returns what a call came to, in a word or two."""
    if call == "replay":
        return {True: "identical", False: "differs"}.get(result, "refused")
    return "goes on" if result == run else "refused" if result.endswith("Error") else "another run"


# What resume, replay and the same call come to: it is another environment; what it does is tried, and it does the
# same or not; only who says that it does the same can go on.
OTHER, SAME = ("refused", "refused", "another run"), ("goes on", "identical", "goes on")
TRIED = ("refused", "differs", "refused")

OBJECT, NAME, FREEWAY = "object", "gym:mine:Corridor", "gym:ALE/Freeway-v5,obs_type=ram,bits"
PLAIN = ("", "int(self.np_random.integers(10))")
NUMPY = ("import numpy", "int(numpy.random.RandomState(seed).randint(10))")
JAX = ("import jax", "int(jax.random.randint(jax.random.PRNGKey(seed or 0), (), 0, 10))")


def slower(project: Project) -> None:
    project.edit("else -1", "else -2")


def comment(project: Project) -> None:
    project.edit("SPEED = 1", "SPEED = 1  # cells")


def data(project: Project) -> None:
    project.data.write_text("2")


def stride(project: Project) -> None:
    project.variables["STRIDE"] = "2"


def numpy(project: Project) -> None:
    project.use("PODTRACK_NUMPY1")


def jax(project: Project) -> None:
    project.use("PODTRACK_JAX0")


def python(project: Project) -> None:
    if not os.environ.get("PODTRACK_PYTHON2"):
        pytest.skip("PODTRACK_PYTHON2 names no other Python")
    project.python = os.environ["PODTRACK_PYTHON2"]


Row = tuple[str, str, str, tuple[str, ...], Callable[[Project], Any], tuple[str, str, str], str]

# What changes, how the environment is given, where it is and from what it draws; then what changes that, what the calls
# come to, and what is named.
ROWS: list[Row] = [
    ("an attribute", OBJECT, "module", PLAIN, lambda p: p.given.update(jump=2), OTHER, "digest"),
    ("a closure", OBJECT, "module", PLAIN, lambda p: p.given.update(limit=15), OTHER, "digest"),
    ("a global", OBJECT, "module", PLAIN, lambda p: setattr(p, "speed", 2), OTHER, "digest"),
    ("a module", OBJECT, "module", PLAIN, slower, OTHER, "file mine.py"),
    ("data of a module", OBJECT, "module", PLAIN, data, OTHER, "digest"),
    ("a variable", OBJECT, "module", PLAIN, stride, OTHER, "digest"),
    ("NumPy, unused", OBJECT, "module", PLAIN, numpy, SAME, "numpy 1.26.4, before 2.4.6"),
    ("a module", NAME, "module", PLAIN, slower, TRIED, "mine/Corridor files"),
    ("data of a module", NAME, "module", PLAIN, data, TRIED, "level.txt"),
    ("a variable", NAME, "module", PLAIN, stride, TRIED, "STRIDE"),
    ("an editable package", NAME, "editable", PLAIN, slower, OTHER, "file mine/__init__.py"),
    ("data of a package", NAME, "package", PLAIN, data, OTHER, "mine 1.0 "),
    ("a ROM", FREEWAY, "package", PLAIN, Project.edit_rom, OTHER, "ale_py 0.12.1 "),
]
MORE: list[Row] = [
    ("a comment", NAME, "module", PLAIN, comment, ("refused", "identical", "refused"), "mine/Corridor files"),
    ("Python", OBJECT, "module", PLAIN, python, OTHER, "digest"),
    ("Python", NAME, "module", PLAIN, python, SAME, "python"),
    ("NumPy", OBJECT, "module", NUMPY, numpy, OTHER, "digest"),
    ("NumPy", NAME, "module", NUMPY, numpy, SAME, "numpy 1.26.4, before 2.4.6"),
    ("JAX", NAME, "module", JAX, jax, TRIED, "jax 0.4.38, before 0.10.2"),
    ("JAX", OBJECT, "module", JAX, jax, OTHER, "digest"),
    ("an editable package", OBJECT, "editable", PLAIN, slower, OTHER, "digest"),
    ("data of an editable package", OBJECT, "editable", PLAIN, data, OTHER, "digest"),
    ("data of an editable package", NAME, "editable", PLAIN, data, OTHER, "mine 1.0 "),
    ("a package", OBJECT, "package", PLAIN, slower, OTHER, "mine 1.0 "),
    ("a package", NAME, "package", PLAIN, slower, OTHER, "mine 1.0 "),
    ("data of a package", OBJECT, "package", PLAIN, data, OTHER, "mine 1.0 "),
]


@pytest.mark.parametrize("row", [*ROWS, *(pytest.param(row, marks=pytest.mark.long) for row in MORE)],
                         ids=lambda row: "%s, %s" % (row[0], row[1].partition(",")[0]))
def test_what_changes_under_a_run(row: Row, tmp_path: Path) -> None:
    """No run has steps of two environments; what changed is named, and what is advised then helps."""
    what, form, kind, source, change, expected, named = row
    store, run, whole = begun(form, kind, source)
    project = Project(tmp_path / "project", form, kind, source)
    change(project)
    stores = {call: tmp_path / (call + ".db") for call in ("resume", "replay", "run", "changed")}
    for each in stores.values():
        shutil.copy(store, each)
    told = project.calls(*list(stores.items())[:3])
    print(*("%s, %s | %s | %s | %s" % (what, form, call, outcome(call, each[0], run), each[2].replace("\n", " / "))
            for call, each in told.items()), sep="\n")
    assert tuple(outcome(call, each[0], run) for call, each in told.items()) == expected
    for call, (result, head, text) in told.items():
        assert result != run or head == whole
        assert named in text or call == "replay" and result is not False or result not in (run, False), text
    if told["resume"][0] == run:
        return
    refusal = told["resume"][2]
    upgraded = "another run" in expected and (what == "a variable" or named.startswith(("file ", "mine 1.0", "ale_py")))
    assert ("differs in its env_version alone" in told["run"][2]) == upgraded, told["run"][2]
    advised = re.search(r"run\.fork\([^()]*\)", refusal)
    if advised:  # as another run, which shares the first iteration
        shutil.copy(store, tmp_path / "fork.db")
        result, head, text = project.calls((advised[0], tmp_path / "fork.db"))[advised[0]]
        assert head and result != run, text
    elif "changed_code=True" in refusal:  # if it does the same; another version is another run
        result, head, text = project.calls(("changed", stores["changed"]))["changed"]
        assert (result, head) == (run, whole) if told["replay"][0] else "has other steps" in text
        project.edit("SPEED = 1", "SPEED, __version__ = 1, '2'")
        assert outcome("run", project.calls(("run", stores["run"]))["run"][0], run) == "another run"
    assert any(advice in refusal for advice in ("with which the run was started", "with what it was made", "raise the"))
    if stores["resume"].read_bytes() != store.read_bytes():  # or else it goes on with what it was started with
        before = Project(tmp_path / "before", form, kind, source).calls(("resume", stores["resume"]))["resume"]
        assert before[:2] == [run, whole], before[2]


def test_another_jax_is_tried(tmp_path: Path) -> None:
    """It draws other numbers from one seed, and a name is the same run."""
    project, other = (Project(tmp_path / name, NAME, "module", JAX) for name in "ab")
    jax(other)
    assert project.calls(("begin", tmp_path / "runs.db"))["begin"][1]
    result, _, text = other.calls(("run", tmp_path / "runs.db"))["run"]
    assert result == "DifferenceError" and "other steps now" in text and "jax 0.4.38, before 0.10.2" in text
