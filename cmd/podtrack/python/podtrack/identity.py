"""What an environment or a function is called, and which version of it this is: a digest of all that decides how it
behaves, or what the user declares in its place."""

from __future__ import annotations

import contextlib
import os
import random
import re
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .adapter import gym
from .adapter.interfaces import as_gymnasium
from .adapter.loop import said
from .digests import Unknown, digest, is_known
from .errors import UsageError


def layers(environment: Any) -> list[Any]:
    """Returns an environment and what it wraps, the outermost first."""
    found = [environment]
    while hasattr(found[-1], "env") and len(found) < 100:
        found.append(found[-1].env)
    return found


def name_of(environment: Any) -> str:
    """Returns the name of an environment: that of Gymnasium or PettingZoo, or its class's."""
    if hasattr(environment, "possible_agents"):
        return str(environment.unwrapped)
    spec = getattr(environment, "spec", None)
    return str(getattr(spec, "id", "") or getattr(environment, "name", "") or type(layers(environment)[-1]).__name__)


def version_of(reached: Mapping[str, Any], version: str = "", parameters: Mapping[str, Any] | None = None) -> str:
    """Returns the version of what values reach: a digest, or the version that is declared with a digest of what is no
    code."""
    found = digest(reached, parameters, bool(version))
    if not version:
        return "digest " + found.text
    return "%s, state %s" % (version, found.text) if found.has_data else version


def code_of(name: str, reached: Mapping[str, Any], version: str, parameters: Mapping[str, Any]) -> dict[str, str]:
    """Returns a digest of the code that a declared version stands for, by a name for it."""
    return {"code of " + name: digest(reached, parameters, lenient=True).hex} if version else {}


def text_of(name: str, value: Any) -> str:
    """Returns a value as the text of a parameter: literals as Python writes them, and digests of all else."""
    if isinstance(value, str):
        return str(value)
    try:
        return written(value)
    except TypeError:
        return "digest " + digest({name: value}).text


def as_declared(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Returns parameters as they are declared: texts, under names of lower-case letters, digits, _ and -, of which the
    first is a letter."""
    found: dict[str, str] = {}
    for name, value in parameters.items():
        lower = re.sub("[^a-z0-9_-]", "-", str(name).lower()).lstrip("-_0123456789")
        if not lower or lower in found:
            raise UsageError("the parameter %r has %s" % (name, "the name of another one" if lower else "no letters"),
                             "give it another name")
        found[lower] = text_of(name, value)
    return found


def written(value: Any) -> str:
    """Returns a literal as Python writes it, the members of a set in an order of their own. Others are a TypeError."""
    if isinstance(value, np.generic):
        value = value.item()
    kind = type(value)
    if kind in (bool, int, float, complex, str, bytes, type(None)):
        return repr(value)
    if kind is list:
        return "[%s]" % ", ".join(map(written, value))
    if kind is tuple:
        return "(%s%s)" % (", ".join(map(written, value)), "," * (len(value) == 1))
    if kind is dict:
        return "{%s}" % ", ".join("%s: %s" % (written(k), written(v)) for k, v in value.items())
    if kind in (set, frozenset) and value:
        return "{%s}" % ", ".join(sorted(map(written, value)))
    raise TypeError(kind.__name__)


# Environments. Their identity is taken when they are handed over, after a reset with a seed: what that makes anew is no
# part of it.

class Used:
    """An environment that was handed over before.

    Attributes
    ----------
    reference
        Weak, to the environment.
    version
        That it was given.
    digests
        Of the code that a declared version stands for.
    state
        A digest of what podtrack left it as, "" while it is used or where there is none.
    """

    def __init__(self, version: str, digests: dict[str, str]) -> None:
        self.version, self.digests, self.state = version, digests, ""
        self.reference: Callable[[], Any] = lambda: None


GUARD = threading.RLock()
USED: dict[tuple[int, str, tuple[str, ...]], Used] = {}
HOLDERS: dict[int, str] = {}  # the threads that use environments, by the addresses of these
MOST_USED = 1000  # that are remembered


def free_in_fork() -> None:
    """Frees environments that threads use which a fork does not have."""
    global GUARD
    GUARD = threading.RLock()
    HOLDERS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=free_in_fork)


def identify(environment: Any, version: str, parameters: Mapping[str, Any], make: Any = None) -> Used:
    """Returns the version of an environment, and of the function that makes it if there is one. One that only
    podtrack has used since it was handed over keeps its version, whatever survives a reset."""
    version = version or str(getattr(environment, "version", "") or "")
    key = (id(environment), version, tuple(sorted(parameters)))
    reached = {"env": environment, **({"make": make} if make is not None else {})}
    with GUARD:
        refuse_held(environment)
        used = USED.get(key)
        if used is None or used.reference() is not environment or used.state != state_of(key, environment):
            begin(environment)
            is_made = not version and is_as_made(environment)
            used = Used("" if is_made else version_of(reached, version, parameters),
                        code_of(name_of(environment), reached, version, parameters))
            if len(USED) >= MOST_USED:
                USED.clear()
            with contextlib.suppress(TypeError):  # there may be no weak references to it
                used.reference = weakref.ref(environment)
                USED[key] = used
        return used


def state_of(key: tuple[int, str, tuple[str, ...]], environment: Any) -> str:
    """Returns a digest of an environment as it is, "" if there is none."""
    try:
        return digest({"env": environment}, dict.fromkeys(key[2]), bool(key[1])).text
    except Unknown:
        return ""


def hold(environment: Any) -> None:
    """Keeps other threads, and other calls of this one, from an environment and what it wraps."""
    with GUARD:
        refuse_held(environment)
        HOLDERS.update(dict.fromkeys(map(id, layers(environment)), threading.current_thread().name))


def release(environment: Any) -> None:
    """Ends hold, and notes how podtrack leaves the environment."""
    with GUARD:
        for layer in layers(environment):
            HOLDERS.pop(id(layer), None)
        for key, used in USED.items():
            if key[0] == id(environment) and used.reference() is environment:
                used.state = state_of(key, environment)


def refuse_held(environment: Any) -> None:
    holder = next((HOLDERS[id(layer)] for layer in layers(environment) if id(layer) in HOLDERS), None)
    if holder is not None:
        raise UsageError("the environment %s is in use, by the thread %s" % (name_of(environment), holder),
                         "give each thread an environment of its own, as a function that makes one does; or make the "
                         "runs one after another")


def begin(environment: Any) -> None:
    """Resets an environment with a seed. Random numbers that others draw are as they were."""
    before, shared, adapted = random.getstate(), np.random.get_state(), as_gymnasium(environment, None)
    try:
        if hasattr(adapted, "observation_space"):
            gym.start(adapted, 0)
        else:
            environment.reset(0)
    except Exception as error:
        raise UsageError("%s: its reset with a seed failed: %s" % (name_of(environment), said(error)),
                         "mend what the cause of this names") from error
    finally:
        random.setstate(before)
        np.random.set_state(shared)


def is_as_made(environment: Any) -> bool:
    """Reports whether an environment is what gymnasium.make makes from its spec, out of packages with a version: then
    its spec says all."""
    spec, gymnasium = getattr(environment, "spec", None), sys.modules.get("gymnasium")
    if spec is None or gymnasium is None or type(spec).__module__.partition(".")[0] == "gym" or getattr(
            spec, "additional_wrappers", None) or not all(
            is_known(type(layer)) for layer in layers(environment)):
        return False
    given = {**spec.kwargs, "max_episode_steps": spec.max_episode_steps,
             "disable_env_checker": spec.disable_env_checker}
    if given.get("render_mode") == "human":  # which would open a window
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = gymnasium.make(spec.id, **given)
            begin(made)
        except Exception:  # nothing is known by its spec that cannot be made by it
            return False
    found, own = digest({"env": made}), digest({"env": environment})
    made.close()
    return found.text == own.text and not own.has_code


def made_with(environment: Any) -> dict[str, Any]:
    """Returns the arguments of gymnasium.make with which an environment was made, as far as they are
    not those that it is registered with."""
    spec, gymnasium = getattr(environment, "spec", None), sys.modules.get("gymnasium")
    if spec is None or gymnasium is None:
        return {}
    registered = gymnasium.envs.registration.registry.get(getattr(spec, "id", ""))
    before = getattr(registered, "kwargs", {})
    given = {key: value for key, value in getattr(spec, "kwargs", {}).items()
             if key != "render_mode" and (key not in before or not is_same(before[key], value))}
    limit = getattr(spec, "max_episode_steps", None)
    if registered is not None and limit != registered.max_episode_steps:
        given["max_episode_steps"] = limit
    return given


def is_same(a: Any, b: Any) -> bool:
    return a is b or text_of("", a) == text_of("", b)
