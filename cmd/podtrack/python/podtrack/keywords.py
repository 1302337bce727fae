"""The keywords of calls that make, continue or execute runs."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol, TypedDict

from . import fields, stages
from .environment import Environment
from .errors import UsageError
from .fields import Fields


class Acting(Protocol):
    """An object that acts: ``reset`` and ``step`` are Gymnasium's, or those of :class:`podtrack.Environment`."""

    @property
    def reset(self) -> Callable[..., Any]: ...

    @property
    def step(self) -> Callable[..., Any]: ...


Env = str | Environment | Acting | Callable[[], Acting]
"""A name that podtrack knows (grid, gym:NAME, exec:CMD), an object that acts, or a class or function that makes one."""

Seeds = int | str | Sequence[int]
"""A seed, several of them, or a text such as "0-9"."""


class Stages(TypedDict, total=False):
    """Stages: names that podtrack knows, functions, or what podtrack.method and its like make of them."""

    collect: str | None
    method: fields.Method | str | stages.MethodFunction | stages.Method | None
    select: str | stages.SelectFunction | stages.Select | None
    learner: fields.Learner | str | stages.LearnFunction | stages.Learner | None
    measure: str | stages.Measure | None


class Changes(Fields, Stages, total=False):
    """What a fork changes."""


class Kept(Fields, total=False):
    """Fields of a spec, and which records of the run are kept."""

    keep: str | None
    last: int | None


def check_keywords(given: Mapping[str, Any], known: type[Any], more: Collection[str] = ()) -> None:
    """Refuses keywords that are not known."""
    names = [*known.__annotations__, *more]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, 3)
            meant = "did you mean %s? " % " or ".join(near) if near else ""
            raise UsageError("there is no keyword %s" % name, meant + "help(podtrack.Fields) lists those of specs")
