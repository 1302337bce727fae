"""Environments as Python objects."""

from __future__ import annotations

import inspect
import math
import os
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .adapter import gym, loop
from .adapter.actions import MOST_ACTIONS
from .errors import UsageError
from .identity import Used, as_declared, code_of, identify, layers, made_with, name_of, text_of, version_of

PROTOCOL = 1


class Environment:
    """An environment for :func:`podtrack.run`, and what it declares.

    Parameters
    ----------
    source
        An environment, or a class or function that makes one. It has ``reset`` and ``step``
        as Gymnasium has them, dm_env, or PettingZoo with one agent; or ``reset(seed)`` that returns an
        observation and ``step(action)`` that returns (observation, reward, terminated, truncated), or an
        observation alone. The seed is None where the random numbers go on from where they are. A function
        may make a game of pycolab.
    name
        Of letters, digits and ``. _ / -``; by default that of Gymnasium or of the class.
    version
        A text to change whenever the environment behaves differently; by default the versions
        of the packages that it is from, with digests of their files, and a digest of all that its own code reaches.
        It stands for the code, and for what cannot be digested; what else the environment holds is digested.
    actions
        Their names, or how many there are; from the action space if it has one. Of a Box space the number
        of values of each number of an action; of every space a list of those that are taken, as step has them.
    observes
        n for observations from 0 to n − 1, names of real features, or
        ``{"kind": "binary", "features": names}``; from the observation space if it has one.
    parameters
        What else changes its behaviour, names and values. Each stands for the attribute, the
        variable of a closure or the global of its name.
    reward
        Whether rewards are recorded.
    options
        Of the adapter for Gymnasium, such as ``bins=8`` (podtrack help gymnasium).
    """

    def __init__(self, source: Any, *, name: str = "", version: str = "", actions: Sequence[str] | int | None = None,
                 observes: int | Sequence[str] | Mapping[str, Any] | None = None,
                 parameters: Mapping[str, Any] | None = None, reward: bool = False, **options: Any) -> None:
        self.source, self.name, self.version = source, name, version
        self.actions, self.observes, self.parameters = actions, observes, dict(parameters or {})
        self.reward, self.options = reward, options

    def serve(self) -> Any:
        """Returns the object that adapter.loop serves."""
        try:
            return self._serve()
        except loop.Refused as refused:
            raise UsageError(refused.what, refused.of_objects or "podtrack help gymnasium has the options") from None

    def _serve(self) -> Any:
        made = self.source if is_environment(self.source) else None
        first = made if made is not None else self._made()
        if any(hasattr(first, name) for name in ("observation_space", "observation_spec", "its_showtime")):
            return self._spaces(first, made is not None)
        if self.options:
            raise UsageError("%s is for environments with spaces" % ", ".join(self.options),
                             "declare actions and observes, or leave it out")
        return Plain(self, first)

    def _made(self) -> Any:
        if not callable(self.source):
            raise UsageError("%r is no environment" % (self.source,),
                             "give an object with reset and step, a function that makes one, or a name such as grid")
        first = self.source()
        if not is_environment(first):
            raise UsageError("%r made %r, which has no reset and step" % (self.source, first),
                             "give a function that makes an environment")
        return first

    def _spaces(self, first: Any, is_one: bool) -> Any:
        def make() -> Any:
            return first if is_one else self.source()

        options = {key: "" if value is True else text_of(key, value)
                   for key, value in self.options.items() if value is not False}
        if hasattr(first, "num_envs"):
            raise UsageError("it takes the steps of %s environments at once" % first.num_envs,
                             "give one of them, such as env.envs[0], or a function that makes one")
        if "wrap" in options:
            raise UsageError("wrap is for environments that are named", "wrap the object: Environment(WRAPPER(env))")
        gym.check_options(options)
        if self.actions is not None:
            options["actions"] = text_of("actions", self.actions)
        if self.reward:
            options["reward"] = ""
        name, own, made = self.name or name_of(first), self.identity(first), made_with(first)
        if not is_one:  # it was reset to be identified, and what acts was not
            getattr(first, "close", lambda: None)()
        served: Any = gym.Environment(name, make, "", options, own.version, reusable=is_one)
        parameters = {**made, **self.parameters}
        files = own_files(first)
        served.code = lambda: code_told(own, files)
        served.declaration["parameters"].update(as_declared(parameters))
        return served

    def identity(self, environment: Any) -> Used:
        """Returns the version of what the source is, or made."""
        if isinstance(environment, Described):
            return Used(self.version, {})
        if hasattr(environment, "its_showtime"):  # one episode of pycolab
            reached = {"make": self.source}
            return Used(version_of(reached, self.version, self.parameters),
                        code_of(name_of(environment), reached, self.version, self.parameters))
        is_one = environment is self.source
        make = None if is_one or inspect.isclass(self.source) else self.source
        return identify(environment, self.version, self.parameters, make)


def is_environment(value: Any) -> bool:
    """Reports whether a value has reset and step, or is a game of pycolab, and is no class."""
    return not inspect.isclass(value) and any(
        all(callable(getattr(value, name, None)) for name in names) for names in (("reset", "step"), ("its_showtime",)))


def code_told(identity: Used, files: dict[str, str]) -> dict[str, Any]:
    """Returns what an environment tells of its code: packages, files, and what its own version stands for."""
    packages = {**loop.code_of(sys.modules)["packages"], **files, "PYTHONHASHSEED": hash_seed()}
    return {"packages": packages, "digests": identity.digests}


def own_files(environment: Any) -> dict[str, str]:
    """Returns the files that the classes of an environment are in, but the script and packages, with digests: when the
    version differs, they say where."""
    modules = {base.__module__ for layer in layers(environment) for base in type(layer).__mro__} - {"__main__"}
    files = loop.code_of({name: sys.modules[name] for name in modules if name in sys.modules})["files"]
    return {os.path.basename(path): loop.short_digest(Path(path).read_bytes()) for path in files}


def hash_seed() -> str:
    """Returns the seed of Python's hashes of texts in this process, from which the order of sets follows."""
    return os.environ.get("PYTHONHASHSEED") or "random"


class Described:
    """An environment that is only described: nothing acts in it here."""

    def reset(self, seed: int | None) -> Any:
        raise UsageError("the environment is only described, and cannot be acted in", "record what was observed")

    step = reset


class Plain:
    """An environment without spaces, as adapter.loop serves it."""

    def __init__(self, declared: Environment, environment: Any) -> None:
        self.environment = environment
        actions = declared.actions if declared.actions is not None else getattr(environment, "actions", None)
        observes = declared.observes if declared.observes is not None else getattr(environment, "observes", None)
        if actions is None or observes is None:
            raise UsageError(
                "%s has neither spaces nor actions and observes" % type(environment).__name__,
                "declare them: Environment(env, actions=[\"left\", \"right\"], observes=10)",
            )
        if isinstance(actions, int) and actions > MOST_ACTIONS:
            raise UsageError("%d actions are more than %d" % (actions, MOST_ACTIONS),
                             "declare those that matter; podtrack.run(check=True) tries it out")
        self.form = form_of(observes)
        self.n: int = self.form["n"] if self.form["kind"] == "discrete" else 0
        identity = declared.identity(environment)
        files = own_files(environment)
        self.code = lambda: code_told(identity, files)
        self.declaration: dict[str, Any] = {
            "protocol": PROTOCOL,
            "name": declared.name or name_of(environment),
            "version": identity.version,
            "actions": [str(i) for i in range(actions)] if isinstance(actions, int) else list(actions),
            "observes": self.form,
            "parameters": as_declared(declared.parameters),
        }
        if declared.reward:
            self.declaration["reward"] = True
        kind = self.form["kind"]
        self.view: Callable[[Any], Any] = {"discrete": self._number, "binary": self._bits, "real": self._reals}[kind]
        self.encode: Callable[[Any], Any] = {"discrete": int, "binary": str, "real": list}[kind]
        packs: dict[str, Callable[[Any], bytes]] = {"discrete": pack_number, "binary": pack_bits, "real": pack_reals}
        self.pack = packs[kind]

    def reset(self, seed: int | None) -> Any:
        answer = self.environment.reset(seed)
        if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict):
            answer = answer[0]
        return self.view(answer)

    def step(self, action: int) -> tuple[Any, float, bool, bool]:
        answer = self.environment.step(action)
        if type(answer) is int and 0 <= answer < self.n:  # what is quickest to step in has the least time to lose
            return answer, 0.0, False, False
        if isinstance(answer, tuple):
            if len(answer) not in (4, 5):
                raise UsageError("step returned %d values" % len(answer),
                                 "return (observation, reward, terminated, truncated), or an observation alone")
            return self.view(answer[0]), float(answer[1]), bool(answer[2]), bool(answer[3])
        return self.view(answer), 0.0, False, False

    def _number(self, observation: Any) -> int:
        number = int(observation)
        if number != observation or not 0 <= number < self.n:
            raise UsageError("the observation %r is no number from 0 to %d" % (observation, self.n - 1))
        return number

    def _bits(self, observation: Any) -> str:
        bits = observation if isinstance(observation, str) else "".join("%d" % b for b in observation)
        if len(bits) != len(self.form["features"]) or set(bits) - {"0", "1"}:
            raise UsageError("the observation %r is not of %d zeros and ones" % (
                observation, len(self.form["features"])))
        return bits

    def _reals(self, observation: Any) -> list[float]:
        values = [float(x) + 0.0 for x in observation]  # -0 is 0
        if len(values) != len(self.form["features"]) or not all(map(math.isfinite, values)):
            raise UsageError("the observation %r is not of %d finite numbers" % (
                observation, len(self.form["features"])))
        return values


def form_of(observes: int | Sequence[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Returns the form of observations as the protocol has it."""
    if isinstance(observes, Mapping):
        form = dict(observes)
        if form.get("kind") not in ("discrete", "binary", "real"):
            raise UsageError("observes=%r" % (observes,), "its kind is discrete, binary or real")
        return form
    if isinstance(observes, int):
        return {"kind": "discrete", "n": observes}
    return {"kind": "real", "features": list(observes)}


def pack_number(number: int) -> bytes:
    return number.to_bytes(4, "little")


def pack_bits(bits: str) -> bytes:
    return int(bits[::-1], 2).to_bytes((len(bits) + 7) // 8, "little")


def pack_reals(values: list[float]) -> bytes:
    return struct.pack("<%dd" % len(values), *values)
