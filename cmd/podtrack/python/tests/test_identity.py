"""What decides a run is its identity, or is refused."""

from __future__ import annotations

import abc
import collections
import ctypes
import functools
import importlib
import importlib.util
import io
import itertools
import json
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import types
import typing
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podtrack
from podtrack import digests
from podtrack.adapter import loop, make
from corridors import Corridor

SPEC: dict[str, Any] = dict(steps=50, kappa=0.5, iterations=1)
HAS_GYMNASIUM = importlib.util.find_spec("gymnasium") is not None
STANDIN = next(Path(__file__).parents[2].glob("internal/**/standin"))


def identity(env: Any, **declared: Any) -> str:
    """Returns what enters the run's ID."""
    given = podtrack.Environment(env, **declared).serve().declaration
    return json.dumps([given["name"], given["version"], given["parameters"]], sort_keys=True)


@pytest.fixture()
def gymnasium(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Gymnasium, or its stand-in."""
    if not HAS_GYMNASIUM:
        monkeypatch.syspath_prepend(str(STANDIN))
    return importlib.import_module("gymnasium")


def test_layers_of_gymnasium(gymnasium: Any) -> None:
    from gymnasium.wrappers import StickyAction, TransformAction  # type: ignore

    def plain() -> Any:
        return gymnasium.make("FrozenLake-v1")

    made: list[Callable[[], Any]] = [
        plain, lambda: StickyAction(plain(), 0.5), lambda: StickyAction(plain(), 0.9),
        lambda: TransformAction(plain(), lambda a: a, None), lambda: TransformAction(plain(), lambda a: 3 - a, None),
        lambda: gymnasium.make("FrozenLake-v1", is_slippery=False)]
    ids = [identity(make()) for make in made]
    assert len(set(ids)) == len(made)
    assert [identity(make()) for make in made] == ids
    used = plain()
    used.reset(seed=8)
    used.step(1)
    assert identity(used) == identity(plain())
    changed = plain()
    changed.unwrapped.reward_range = (0, 3)
    assert identity(changed) != identity(plain())


def test_an_object_of_gymnasium_is_the_run_of_its_name(gymnasium: Any, tmp_path: Path,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODTRACK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in sys.path if p))
    named = podtrack.run(env="gym:FrozenLake-v1,is_slippery=False", store=tmp_path / "runs.db", **SPEC)
    made = gymnasium.make("FrozenLake-v1", is_slippery=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", podtrack.PodtrackWarning)  # other packages are imported here
        warnings.filterwarnings("ignore", ".* was never checked")
        assert podtrack.run(env=made, store=tmp_path / "runs.db", **SPEC).id == named.id
    text = named.spec["env"]["external"]["version"]
    assert text.startswith("adapter ") and "digest" not in text


class Slippery(Corridor):
    version = ""

    def __init__(self, slip: float) -> None:
        super().__init__()
        self.slip = slip

    def step(self, action: int) -> Any:
        return super().step(1 - action if self.random.random() < self.slip else action)


class Declared(Slippery):
    version = "1"


@pytest.mark.parametrize("kind", [Slippery, Declared])
def test_arguments(kind: type[Slippery], tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        runs = [podtrack.run(env=kind(slip), store=tmp_path / "runs.db", **SPEC) for slip in (0.0, 0.5, 0.5)]
    assert not any("env_version" in str(each.message) for each in noted)  # it was the user who changed it
    assert runs[0].id != runs[1].id == runs[2].id and runs[0].head != runs[1].head


SHIFT = 3


class Shifting(Corridor):
    version = ""

    def __init__(self, env: Corridor) -> None:
        super().__init__()
        self.env = env

    def reset(self, seed: int | None) -> Any:
        self.env.reset(seed)
        return super().reset(seed)

    def step(self, action: int) -> Any:
        return (self.env.step(action) + SHIFT) % 10


def test_a_global(monkeypatch: pytest.MonkeyPatch) -> None:
    three = identity(Shifting(Corridor()))
    monkeypatch.setattr(sys.modules[__name__], "SHIFT", 1)
    assert identity(Shifting(Corridor())) != three
    monkeypatch.setattr(sys.modules[__name__], "SHIFT", 3)
    assert identity(Shifting(Corridor())) == three


def above(least: float) -> Callable[[podtrack.SelectInput], Any]:
    return lambda d: d.sigma > least


def test_closures_of_stages(tmp_path: Path) -> None:
    runs = [podtrack.run(select=above(least), store=tmp_path / "runs.db", bits=5, steps=100, iterations=1)
            for least in (0.5, 8.0, 8.0)]
    assert runs[0].id != runs[1].id == runs[2].id
    assert runs[0][0].info.purposes > runs[1][0].info.purposes
    late = [podtrack.select(lambda d: d.sigma > least, name="late") for least in (0.5, 8.0)]
    assert late[0].version == late[1].version, "each closes over what least is now"
    texts = {podtrack.select(above(0.5), name="x", version="1", parameters=given).version
             for given in (None, {"least": 0.5}, {"least": 1.5})}
    assert len(texts) == 2, "a parameter stands for the variable of its name"


SOURCE = '''
import enum, functools, math, random
import numpy as np
import {module} as other

LIMIT = 9
TABLE = {{"a": [1, 2.0], "b": (True, None)}}

class Colour(enum.Enum):
    RED = 1
    BLUE = 2

class Meta(type):
    kind = "plain"

def clip(x, low=0, *, high=9):
    return max(low, min(high, x))

def closing(p):
    def chance(x):
        return x < p  # by chance
    return chance

class Above:
    margin = 0

    def edge(self):
        return LIMIT

class Slotted:
    __slots__ = ("weight", "_hidden")

    def __init__(self):
        self.weight, self._hidden = 1.5, b"x"

class Maze(Above, metaclass=Meta):
    actions, observes = ["left", "right"], 10

    def __init__(self, slip=0.25):
        self.slip, self.chance = slip, closing(slip)
        self.random = random.Random()
        self.field = np.arange(6.0).reshape(2, 3)
        self.tags = {{"x", "y", "z"}}
        self.colour = Colour.RED
        self.part = functools.partial(clip, high=8)
        self.bound = self.edge
        self.inner = Slotted()
        self.inner_again = [self, self.inner]
        self.table = dict(TABLE)

    @property
    def middle(self):
        return 5

    @staticmethod
    def sign(a):
        return 1 if a else -1

    @classmethod
    def many(cls):
        return cls.observes

    def reset(self, seed):
        if seed is not None:
            self.random.seed(seed)
        self.at, self.steps = self.random.randrange(10), 0
        return self.at

    def step(self, action):
        from {module} import TILT
        self.steps += 1
        jump = [lambda: 0, lambda: 1][0]
        self.at = clip(self.at + self.sign(action) + jump() + TILT * 0, 0, high=self.edge())
        return self.at + math.floor(other.lift(0))
'''

CHANGES = [
    ("LIMIT = 9", "LIMIT = 8"), ("[1, 2.0]", "[1, 2]"), ("(True, None)", "(1, None)"), ("RED = 1", "RED = 3"),
    ("BLUE = 2", "GREEN = 2"), ('kind = "plain"', 'kind = "other"'), ("low=0,", "low=1,"), ("high=9)", "high=8)"),
    ("x < p", "x <= p"), ("return LIMIT", "return LIMIT - 1"), ("margin = 0", "margin = 1"), ("1.5, b", "1.25, b"),
    ('b"x"', 'b"y"'), ("slip=0.25", "slip=0.5"), ("arange(6.0)", "arange(6)"), ("reshape(2, 3)", "reshape(3, 2)"),
    ('"y", "z"', '"y"'), ("Colour.RED", "Colour.BLUE"), ("high=8)", "high=7)"),
    ("self.bound = self.edge", "self.bound = self.many"),
    ("[self, self.inner]", "[self, Slotted()]"), ("return 5", "return 6"), ("1 if a else -1", "-1 if a else 1"),
    ("return cls.observes", "return 9"), ("lambda: 0, lambda: 1", "lambda: 0, lambda: 2"), ("math.floor", "math.ceil"),
    ("dict(TABLE)", "{**TABLE, 'c': 0}"), ("Above, metaclass=Meta", "Above"),
    ("self.random = ", "self.seventh = None; self.random = "), ("TILT * 0", "TILT * 1"), ("low, min", "low, math.fmod"),
]

OTHER = "TILT = 4\nHEIGHT = 2\ndef lift(x):\n    return x * HEIGHT\n"

COUNTER = itertools.count()


def maze(old: str = "", new: str = "", other: str = OTHER, change: Callable[[Any], Any] = lambda made: None) -> Any:
    """Returns a maze, after a change of its source, of the module that it imports, or of the object."""
    name = "other_%d" % next(COUNTER)
    imported = types.ModuleType(name)
    exec(other, imported.__dict__)
    sys.modules[name] = imported
    text = SOURCE.replace("{module}", "OTHER").replace("{{", "{").replace("}}", "}")
    assert old in text
    text = text.replace(old, new, 1).replace("import OTHER as other", "other = None").replace(
        "from OTHER import TILT", "TILT = other.TILT")
    given: dict[str, Any] = {"__name__": "mazes"}
    exec(compile(text, "<mazes>", "exec"), given)
    given["other"] = imported
    made = given["Maze"]()
    change(made)
    return made


def set_item(made: Any) -> None:
    made.field[0, 0] = 7


def patch(made: Any) -> None:
    type(made).step = lambda self, action: self.at


def patch_instance(made: Any) -> None:
    made.step = types.MethodType(lambda self, action: 4, made)


OBJECTS: dict[str, Callable[[Any], Any]] = {
    "attribute": lambda made: setattr(made, "slip", 0.5), "new attribute": lambda made: setattr(made, "new", 0),
    "item of an array": set_item, "type of an array": lambda made: setattr(made, "field", made.field.astype("f4")),
    "minus zero": lambda made: setattr(made, "slip", -0.0), "zero": lambda made: setattr(made, "slip", 0.0),
    "True": lambda made: setattr(made, "slip", True), "one": lambda made: setattr(made, "slip", 1),
    "text of a number": lambda made: setattr(made, "slip", "0.25"), "NaN": lambda made: setattr(made, "slip", np.nan),
    "NumPy's number": lambda made: setattr(made, "slip", np.float64(0.25)),
    "set": lambda made: made.tags.add("w"), "frozenset": lambda made: setattr(made, "tags", frozenset(made.tags)),
    "dict": lambda made: made.table.update(a=[1, 3.0]), "order of a dict": lambda made: made.table.update(
        {"a": made.table.pop("a")}),
    "slot": lambda made: setattr(made.inner, "_hidden", b"z"), "method of the class": patch,
    "method of the object": patch_instance, "class attribute": lambda made: setattr(type(made), "observes", 11),
    "attribute of a base": lambda made: setattr(type(made).__mro__[1], "margin", 2),
    "class of an object": lambda made: setattr(made, "__class__", type("Sub", (type(made),), {"margin": 5})),
    "defaults": lambda made: setattr(made.chance, "__defaults__", (1,)),
    "attribute of a function": lambda made: setattr(made.chance, "weight", 2),
    "cell": lambda made: setattr(made.chance.__closure__[0], "cell_contents", 0.75),
    "argument of a partial": lambda made: setattr(made, "part", functools.partial(made.part.func, high=8, low=1)),
    "built-in function": lambda made: setattr(made, "chance", max),
    "another": lambda made: setattr(made, "chance", min),
    "function of a package": lambda made: setattr(made, "chance", np.add),
    "method of a built-in": lambda made: setattr(made, "chance", "a".join),
    "method of another": lambda made: setattr(made, "chance", "b".join),
    "cycle": lambda made: setattr(made, "inner_again", [made, made.inner, made]),
    "alias": lambda made: setattr(made, "inner_again", [made, type(made.inner)()]),
    "attribute of a member": lambda made: setattr(made.colour, "speed", 2),
    "attribute of an enumeration": lambda made: setattr(type(made.colour), "SCALE", 2),
    "attribute of a partial": lambda made: setattr(made.part, "weight", 2),
    "a class that counts as another": lambda made: setattr(made, "kind", registered(abc.ABC)),
}


def registered(*kinds: Any) -> Any:
    """Returns an abstract class of which these count as subclasses."""
    made = abc.ABCMeta("Kind", (), {})
    for kind in kinds:
        made.register(kind)
    return made


class Scaled(property):
    scale = 1


def scaled(scale: int) -> Any:
    made = Scaled(len)
    made.scale = scale
    return made


def moved(key: str) -> Any:
    made = collections.OrderedDict(a=1, b=2)
    made.move_to_end(key)
    return made


def at(place: int) -> Any:
    made = io.BytesIO(b"two")
    made.seek(place)
    return made


def counting() -> Any:
    n = 0

    def count() -> int:
        nonlocal n
        n += 1
        return n

    return count, lambda: n


def cached(weight: int) -> Any:
    made = functools.lru_cache(None)(lambda: 1)
    made.weight = weight  # type: ignore[attr-defined]
    return made


FIELD, GRID, BUFFER, COUNTING = np.zeros(6), np.zeros((300, 2)), bytearray(3), counting()

# Pairs of what an object may hold, which differ elsewhere than in attributes.
HELD: dict[str, tuple[Any, Any]] = {
    "random": (lambda: random.Random(1), lambda: random.Random(2)),
    "a method of it": (lambda: random.Random(1).random, lambda: random.Random(2).random),
    "NumPy's": (lambda: np.random.default_rng(1), lambda: np.random.default_rng(2)),
    "its bits": (lambda: np.random.MT19937(1), lambda: np.random.MT19937(2)),
    "NumPy's of old": (lambda: np.random.RandomState(1), lambda: np.random.RandomState(2)),
    "an iterator": (lambda: iter([1, 2]), lambda: iter([1, 3])),
    "a method of C": (lambda: [1].__contains__, lambda: [2].__contains__),
    "a stream": (lambda: at(0), lambda: at(1)), "an order": (lambda: moved("a"), lambda: moved("b")),
    "a property": (lambda: property(len), lambda: Scaled(len)), "its scale": (lambda: scaled(1), lambda: scaled(2)),
    "a cache": (lambda: cached(1), lambda: cached(2)),
    "an array": (lambda: [FIELD, FIELD], lambda: [FIELD, FIELD.copy()]),
    "a part of it": (lambda: [FIELD, FIELD[:3]], lambda: [FIELD, FIELD[3:]]),
    "a copy of a part": (lambda: [FIELD, FIELD[:3].copy()], lambda: [FIELD, FIELD[::2]]),
    "rows": (lambda: list(GRID[:300]), lambda: [*GRID[:299], GRID[0]]),
    "a buffer": (lambda: [BUFFER, BUFFER], lambda: [BUFFER, bytearray(3)]),
    "a cell": (lambda: COUNTING, lambda: (COUNTING[0], counting()[1])),
}


@pytest.mark.parametrize("name", HELD)
def test_state_that_is_no_attribute(name: str) -> None:
    texts = [identity(maze(change=lambda made: setattr(made, "held", make()))) for make in HELD[name] * 2]
    assert texts[:2] == texts[2:] and texts[0] != texts[1]


def test_no_method_is_called() -> None:
    """Pickling would ask an object what its state is."""
    def refuse(self: Any, *given: Any) -> Any:
        raise AssertionError

    kinds = [type("Kind", (Corridor,), {"version": "", name: refuse}) for name in digests.HOOKS]
    assert len({identity(kind()) for kind in kinds}) == len(kinds)
    for base in (collections.deque, random.Random, io.BytesIO):
        with pytest.raises(podtrack.UsageError, match="nothing tells it from another one"):
            kind = type("Kind", (base,), {"__reduce__": refuse, "__getstate__": refuse})
            digests.digest({"env": kind()})


def test_type_parameters() -> None:
    made: dict[str, Any] = {"Corridor": Corridor, "__name__": "mazes", "T": typing.TypeVar("T")}
    parameters = "[T, **P, *A]" if sys.version_info >= (3, 12) else ""
    exec("class Typed%s(Corridor):\n    version = ''\n    def told(self, x: T) -> T: return x" % parameters, made)
    assert identity(made["Typed"]()) == identity(made["Typed"]())


class ByVariable(Corridor):
    version = ""

    def step(self, action: int) -> Any:
        return self.at * int(os.environ["PODTRACK_TEST_FACTOR"]) % 10


def test_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[Any] = []
    for factor in ("2", "3", "2"):
        monkeypatch.setenv("PODTRACK_TEST_FACTOR", factor)
        monkeypatch.setenv("PODTRACK_TEST_TAKEN", str(len(texts)))
        texts.append((identity(ByVariable()), identity(ByVariable(), parameters={"PODTRACK_TEST_FACTOR": "any"})))
    assert texts[0] == texts[2] != texts[1] and texts[0][1] == texts[1][1]


def test_a_package_that_was_changed_in_memory(gymnasium: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def text() -> str:
        return identity(gymnasium.make("FrozenLake-v1"))

    kind = type(gymnasium.make("FrozenLake-v1").unwrapped)
    module, step, before = sys.modules[kind.__module__], kind.step, text()
    monkeypatch.setattr(kind, "step", property(lambda self: step.__get__(self)))
    texts = {before, text()}
    monkeypatch.undo()
    numbers = [name for name, value in vars(module).items() if isinstance(value, int)]  # the stand-in has none
    changes = {"helper": lambda: 1, **{name: getattr(module, name) + 1 for name in numbers[:1]}}
    for name, value in changes.items():
        monkeypatch.setattr(module, name, value, raising=False)
        texts.add(text())
        monkeypatch.undo()
    assert len(texts) == 2 + len(changes) and text() == before


def build(change: Any) -> Any:
    """Returns a maze with a change, of the tables above."""
    if isinstance(change, tuple):
        return maze(*change)
    return maze(other=change) if isinstance(change, str) else maze(change=change)


VARIED = [*CHANGES, OTHER.replace("4", "5"), OTHER.replace("HEIGHT = 2", "HEIGHT = 3"), OTHER.replace("x *", "x +"),
          *OBJECTS.values()]


def test_one_thing_at_a_time() -> None:
    found = {identity(maze()): "nothing"}
    for change in VARIED:
        label = next((name for name, each in OBJECTS.items() if each is change), str(change))
        text = identity(build(change))
        assert text not in found, "%s is taken for %s" % (label, found[text])
        found[text] = label
    assert len(found) == len(VARIED) + 1


def stepped(made: Any) -> None:
    made.reset(3)
    made.step(1)
    made.random.random()


SAME: dict[str, Any] = {
    "nothing": lambda made: None, "steps": stepped,
    "a comment": ("# by chance", "# another"), "lines": ("def clip", "\n\n\ndef clip"), "spaces": ("x < p", "x  <  p"),
    "the order of a set": ('"x", "y", "z"', '"z", "x", "y"'), "what nobody names": OTHER + "UNUSED = 1\n",
    "the order of attributes": lambda made: setattr(made, "slip", made.__dict__.pop("slip")),
    "an equal array": lambda made: setattr(made, "field", np.array(made.field.T.copy().T)),
    "the name of a class": lambda made: setattr(type(made.inner), "__name__", "Other"),
}


@pytest.mark.parametrize("change", SAME)
def test_what_changes_nothing(change: str) -> None:
    assert identity(build(SAME[change])) == identity(maze())


def test_every_process_has_the_same() -> None:
    folders = [str(Path(podtrack.__file__).parents[1]), str(Path(__file__).parent)]
    program = ("import sys; sys.path[:0] = %r\nimport test_identity as t\n"
               "print(t.identity(t.maze()), t.identity(t.Slippery(0.5)), t.podtrack.select(t.above(2)).version)"
               % (folders,))
    texts = {subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, check=True,
                            capture_output=True, text=True).stdout for seed in "123"}
    assert len(texts) == 1 and identity(maze()) in next(iter(texts))


NULL = open(os.devnull)

UNKNOWN: dict[str, tuple[Callable[[Any], Any], str]] = {
    "an open file": (lambda made: setattr(made, "log", NULL), "env.log"),
    "a generator": (lambda made: setattr(made, "rest", (i for i in [1])), "env.rest"),
    "within a list": (lambda made: setattr(made, "deep", [{"key": (i for i in [1])}]), "env.deep[0]['key']"),
    "in a closure": (lambda made: setattr(made, "chance", above(memoryview(b"x"))),  # type: ignore[arg-type]
                     "env.chance.closure least"),
    "in a partial": (lambda made: setattr(made, "part", functools.partial(max, key=NULL)), "env.part.key"),
    "what is nested too deeply": (
        lambda made: setattr(made, "deep", functools.reduce(lambda inner, _: [inner], range(9999), [])),
        "env: it is nested"),
    "a thread": (lambda made: setattr(made, "worker", threading.Thread()), "env.worker"),
    "a process": (lambda made: setattr(made, "worker", multiprocessing.Process()), "env.worker"),
    "a pipe": (lambda made: setattr(made, "worker", multiprocessing.Pipe()[0]), "env.worker"),
    "a library": (lambda made: setattr(made, "worker", ctypes.CDLL(None)), "env.worker"),
    "a function of NumPy's making": (lambda made: setattr(made, "own", np.frompyfunc(max, 2, 1)), "env.own"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_is_refused(name: str) -> None:
    change, place = UNKNOWN[name]
    with pytest.raises(podtrack.UsageError) as raised:
        identity(build(change))
    assert raised.value.message.startswith(place), raised.value.message
    assert "version=TEXT" in raised.value.remedy
    assert identity(build(change), version="1") != identity(maze())
    if raised.value.remedy.startswith("give parameters={'"):  # not of what is nested too deeply
        attribute = raised.value.remedy.split("'")[1]
        texts = {identity(build(change), parameters={attribute: text}) for text in "12"}
        assert len(texts) == 2


def test_parameters_are_values() -> None:
    def text(value: Any) -> str:
        return identity(Corridor(), parameters={"p": value})

    large = np.arange(5000)
    values = [True, False, None, 0.5, 1, (1,), [1], {"a": 1}, {1}, large, large + 1, above(1), above(2), b"x", ""]
    assert len({text(value) for value in values}) == len(values)
    assert text(np.float64(0.5)) == text(0.5) and text({1, 2, "b"}) == text({"b", 2, 1})
    with pytest.raises(podtrack.UsageError, match="^p is of"):
        text(NULL)


def test_parameters_of_every_name(tmp_path: Path) -> None:
    """A remedy names attributes, globals and variables as they are; podtrack has them in lower case."""
    env = Corridor()
    env._log, env.version = NULL, ""  # type: ignore[attr-defined]
    with pytest.raises(podtrack.UsageError) as raised:
        podtrack.run(env=env, store=tmp_path / "runs.db", **SPEC)
    assert "parameters={'_log': TEXT}" in raised.value.remedy
    given = podtrack.Environment(env, parameters={"_log": "none", "SHIFT": 3})
    keep = podtrack.select(lambda d: d.sigma > 0, name="all", parameters={"SHIFT": 3})
    run = podtrack.run(env=given, select=keep, store=tmp_path / "runs.db", **SPEC)
    assert run.spec["env"]["text"] == {"log": "none", "shift": "3"}
    assert run.spec["stages"]["select"]["params"] == {"shift": "3"}
    with pytest.raises(podtrack.UsageError, match="'log' has the name of another one"):
        podtrack.Environment(env, parameters={"_log": "none", "log": ""}).serve()


def test_a_version_stands_for_the_code() -> None:
    def text(change: Any) -> str:
        return identity(build(change), version="1")

    base = text(lambda made: None)
    for code in (("x < p", "x <= p"), ("LIMIT = 9", "LIMIT = 8"), ("return 5", "return 6"), OTHER.replace("4", "5")):
        assert text(code) == base, code
    for state in (("slip=0.25", "slip=0.5"), set_item, ("high=8", "high=7")):
        assert text(state) != base, state


def test_changed_code_of_a_declared_version(tmp_path: Path) -> None:
    def run(change: Any, iterations: int, **given: Any) -> podtrack.Run:
        env = podtrack.Environment(build(change), version="1")
        spec = {**SPEC, "iterations": iterations, **given}
        made: podtrack.Run = podtrack.run(env=env, store=tmp_path / "runs.db", **spec)
        return made

    old, new = ("x < p", "x  < p"), ("x < p", "x <= p")
    first = run(old, 1)
    with pytest.warns(podtrack.PodtrackWarning, match="the code differs .*Maze files ") as warned:
        assert run(new, 1).head == first.head
    assert warned[0].filename == __file__
    changed = "cannot continue from iteration 1: the program has changed"
    with pytest.raises(podtrack.UsageError, match=changed) as raised:
        run(new, 2)
    assert "changed_code=True" in raised.value.remedy and len(first.refresh()) == 1
    with pytest.raises(podtrack.UsageError):
        first.resume(2, env=podtrack.Environment(build(new), version="1"))
    with pytest.warns(podtrack.PodtrackWarning):
        first.resume(2, env=podtrack.Environment(build(new), version="1"), changed_code=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* was never checked")
        assert len(run(new, 3)) == 3


def test_changed_code_of_a_stage(tmp_path: Path) -> None:
    def run(stage: podtrack.Select, iterations: int) -> podtrack.Run:
        spec: dict[str, Any] = dict(bits=5, steps=100, iterations=iterations)
        made: podtrack.Run = podtrack.run(select=stage, store=tmp_path / "runs.db", **spec)
        return made

    old = podtrack.select(lambda d: d.sigma > 1, name="one", version="1")
    new = podtrack.select(lambda d: d.sigma >= 1, name="one", version="1")
    first = run(old, 1)
    with pytest.warns(podtrack.PodtrackWarning, match="one files "):
        assert run(new, 1).id == first.id
    with pytest.raises(podtrack.UsageError, match="the program has changed"):
        run(new, 2)
    assert len(run(old, 2)) == 2


class Counting(Corridor):
    """Counts its episodes, and what it counts survives a reset."""

    version = ""

    def __init__(self) -> None:
        super().__init__()
        self.episodes = 0

    def reset(self, seed: int | None) -> Any:
        self.episodes += 1
        return super().reset(seed)


def test_an_object_that_podtrack_used_stays_what_it_was(tmp_path: Path) -> None:
    env = Counting()
    run = podtrack.run(env=env, store=tmp_path / "runs.db", **SPEC)
    again = podtrack.run(env=env, store=tmp_path / "runs.db", **{**SPEC, "iterations": 2})
    assert run.id == again.id == podtrack.run(env=Counting(), store=tmp_path / "other.db", **SPEC).id
    env.episodes = 100
    assert podtrack.run(env=env, store=tmp_path / "runs.db", **SPEC).id != run.id


def test_one_object_in_two_threads(tmp_path: Path) -> None:
    inside, goes_on = threading.Event(), threading.Event()
    failures: list[BaseException] = []

    class Waiting(Corridor):
        def step(self, action: int) -> Any:
            inside.set()
            goes_on.wait(60)
            return super().step(action)

    env = Waiting()

    def first() -> None:
        try:
            podtrack.run(env=podtrack.Environment(env, version="1", parameters={"inside": "", "goes_on": ""}),
                         store=tmp_path / "a.db", **SPEC)
        except BaseException as error:
            failures.append(error)
        finally:
            inside.set()

    thread = threading.Thread(target=first, name="first")
    thread.start()
    assert inside.wait(60)
    try:
        for given in (env, Shifting(env)):
            with pytest.raises(podtrack.UsageError, match="in use, by the thread first") as raised:
                podtrack.run(env=podtrack.Environment(given, version="1"), store=tmp_path / "b.db", **SPEC)
            assert "each thread" in raised.value.remedy and not (tmp_path / "b.db").exists()
    finally:
        goes_on.set()
        thread.join()
    assert not failures
    podtrack.run(env=podtrack.Environment(env, version="1"), store=tmp_path / "b.db", **SPEC)


class Broken(Corridor):
    def reset(self, seed: int | None) -> Any:
        raise ZeroDivisionError("seven")


def test_a_reset_that_fails(tmp_path: Path) -> None:
    with pytest.raises(podtrack.UsageError, match="seven") as raised:
        podtrack.run(env=Broken(), store=tmp_path / "runs.db", **SPEC)
    assert isinstance(raised.value.__cause__, ZeroDivisionError) and not (tmp_path / "runs.db").exists()


def test_modules_that_are_imported_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that is not executed imports a module: that is not executed for the identity, and is part of it, as its
    file has it and as it was changed since it was imported."""
    folder = tmp_path / "package with blanks"
    (folder / "later").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(folder))

    class Imports(Corridor):
        version = ""

        def render(self) -> Any:
            import later.speeds
            from later import other
            return later.speeds.SPEED, other.f(), later.speeds.made()

    def identity(speed: str = "3", other: str = "4") -> str:
        (folder / "later/__init__.py").write_text("import os\n")
        (folder / "later/speeds.py").write_text("from . import deep\nopen(%r, 'w')\nSPEED = %s\n"
                                                "def made(): return 1\n" % (str(tmp_path / "executed"), speed))
        (folder / "later/other.py").write_text("HEIGHT = (4, 5)\ndef f(): return %s, HEIGHT\n" % other)
        (folder / "later/deep.py").write_text("DEEP = 1\n")
        importlib.invalidate_caches()
        return str(podtrack.Environment(Imports()).serve().declaration["version"])

    first = identity()
    assert first == identity() and not (tmp_path / "executed").exists()
    assert len({first, identity("5"), identity(other="5"), identity("(3)")}) == 3
    try:
        module = importlib.import_module("later.speeds")
        assert (tmp_path / "executed").exists() and identity() == first
        module.SPEED = 7  # type: ignore[attr-defined]
        assert identity() != first
        module.SPEED = 3  # type: ignore[attr-defined]
        other = importlib.import_module("later.other")
        other.HEIGHT = 8  # type: ignore[attr-defined]  # which only a function names that is called
        assert identity() != first
        other.HEIGHT = (4, 5)  # type: ignore[attr-defined]
        assert identity() == first
        module.made = lambda: 2  # type: ignore[attr-defined]
        assert identity() != first
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "later"]:
            del sys.modules[name]


@pytest.mark.parametrize("make", [threading.Event, threading.Lock, lambda: threading.Semaphore(1)])
def test_locks_and_events_are_data(make: Callable[[], Any]) -> None:
    environment = Corridor()
    environment.gate = make()  # type: ignore[attr-defined]
    before = digests.digest({"env": environment}).text
    getattr(environment.gate, "acquire", getattr(environment.gate, "set", None))()  # type: ignore[attr-defined]
    assert digests.digest({"env": environment}).text != before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_files_of_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package's files are read in parts; what is no file is left alone, and one that cannot be read is refused."""
    folder = tmp_path / "edited"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    module = types.ModuleType("edited")
    module.__path__ = [str(folder)]
    monkeypatch.setitem(sys.modules, "edited", module)
    before = make.code_digest("edited")
    os.mkfifo(folder / "pipe.txt")
    (folder / "gone.txt").symlink_to("nowhere")
    assert make.code_digest("edited") == before
    (folder / "level.txt").write_text("x")
    assert make.code_digest("edited") != before
    monkeypatch.setattr("builtins.open", lambda *given: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    with pytest.raises(make.Refused, match="of the package edited, cannot be read: Permission denied"):
        make.code_digest("edited")


def test_variables_that_code_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an environment's code reads of the process's variables is told beside its packages, as digests."""
    module = tmp_path / "reads.py"
    module.write_text("import os\na = os.environ['SLIP'], os.getenv( \"SPEED\"), os.environ.get('PODTRACK_STORE')\n")
    monkeypatch.setenv("SLIP", "secret")
    monkeypatch.delenv("SPEED", raising=False)
    told = loop.variables_of([str(module)])
    assert set(told) == {"$SLIP", "$SPEED"} and told["$SPEED"] == "unset" and "secret" not in told.values()
    monkeypatch.setenv("SLIP", "another")
    assert loop.variables_of([str(module)])["$SLIP"] != told["$SLIP"]


class Striding(Corridor):
    """How far it goes to the right is a variable of the process."""

    version = ""

    def step(self, action: int) -> Any:
        self.at = max(0, min(9, self.at + (int(os.environ.get("STRIDE", "1")) if action else -1)))
        return self.seen()


def test_steps_that_were_taken_are_tried_where_something_has_changed(tmp_path: Path,
                                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in an iteration that ended behind its last step, and whose other stages follow."""
    stops = [True]

    @podtrack.select(version="1", parameters={"stops": ""})
    def stopping(d: podtrack.SelectInput) -> Any:
        if stops[0]:
            raise ZeroDivisionError("seven")
        return d.sigma > 1

    def run(name: str) -> podtrack.Run:
        env = podtrack.Environment(Striding(), version="1")  # which stands for the variable, too
        made: podtrack.Run = podtrack.run(env=env, select=stopping, steps=200, iterations=2, changed_code=True,
                                          store=tmp_path / (name + ".db"))
        return made

    with pytest.raises(podtrack.StageFailed):
        run("a")
    stops[0] = False
    monkeypatch.setenv("STRIDE", "2")
    with pytest.raises(podtrack.DifferenceError, match="another outcome than recorded"):
        run("a")
    monkeypatch.setenv("STRIDE", "1")  # which is another variable, and does the same
    assert run("a").head == run("b").head
