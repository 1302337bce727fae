"""The steps of an iteration that something else than podtrack took."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import UsageError


@dataclass(frozen=True)
class Steps:
    """The steps of an iteration, n of them. An observation is a number, or a row of features.

    Attributes
    ----------
    states
        [n + 1] or [n + 1, d], what was observed before each step, and after the last one; where
        an episode ended, what the next one begins with.
    actions
        [n], counted from 0.
    next_states
        [n] or [n, d], what was observed after each step. It may be left out if no episode
        ended.
    options
        [n], the number of the option that was executing, -1 for none; None if there was none.
    terminated, truncated
        [n], whether an episode ended there; None if none did.
    rewards
        [n], if the environment declares them.
    """

    states: ArrayLike
    actions: ArrayLike
    next_states: ArrayLike | None = None
    options: ArrayLike | None = None
    terminated: ArrayLike | None = None
    truncated: ArrayLike | None = None
    rewards: ArrayLike | None = None


def steps_of(given: Mapping[str, Any]) -> Steps:
    """Returns the steps that a dictionary has by the names of the attributes of :class:`Steps`."""
    names = [field.name for field in fields(Steps)]
    unknown = [name for name in given if name not in names]
    if unknown or "states" not in given or "actions" not in given:
        raise UsageError("transitions %s" % ("have %s" % ", ".join(map(repr, unknown)) if unknown
                                             else "lack states or actions"),
                         "give states, actions, and if there are any " + ", ".join(names[2:]))
    return Steps(**given)


class PackedSteps:
    """Steps in the form of frames (replay/external/STAGES.md)."""

    def __init__(self, steps: Steps, n: int, form: dict[str, Any], rewards: bool) -> None:
        self.form = form
        self.actions = whole(steps.actions, "actions", (n,), 0, 127).astype(np.uint8)
        self.states = self._observations(steps.states, "states", n + 1)
        self.options = np.full(n, -1, "<i4") if steps.options is None else whole(
            steps.options, "options", (n,), -1, 1 << 31).astype("<i4")
        terminated, truncated = flags(steps.terminated, "terminated", n), flags(steps.truncated, "truncated", n)
        self.ends = np.where(terminated, 1, np.where(truncated, 2, 0)).astype(np.uint8)
        self.after = self.states[1:]
        ended = self.ends > 0
        if steps.next_states is not None:
            self.after = self._observations(steps.next_states, "next_states", n)
            apart = (self.after != self.states[1:]).reshape(n, -1).any(axis=1) & ~ended
            if apart.any():
                raise UsageError("step %d leads to another state than the next one begins in" % apart.argmax(),
                                 "an episode ended there: say so in terminated or truncated")
        elif ended.any():
            raise UsageError("episodes ended, and there are no next_states", "give what was observed after each step")
        if rewards != (steps.rewards is not None):
            raise UsageError("rewards are given if the environment declares them, and only then",
                             "declare reward=True, or leave rewards out")
        self.rewards = None if steps.rewards is None else numbers(steps.rewards, "rewards", (n,)).astype("<f8") + 0.0

    def _observations(self, given: ArrayLike, what: str, n: int) -> NDArray[Any]:
        kind = self.form["kind"]
        if kind == "discrete":
            return whole(given, what, (n,), 0, self.form["n"]).astype("<u4")
        features = len(self.form["features"])
        if kind == "binary":
            return whole(given, what, (n, features), 0, 2).astype(np.uint8)
        return numbers(given, what, (n, features)).astype("<f8") + 0.0  # -0 is 0

    def between(self, first: int, end: int) -> NDArray[Any]:
        """Returns what was observed after each of some steps, and with what the next episode began."""
        ended = self.ends[first:end] > 0
        at = np.arange(end - first) + np.cumsum(ended) - ended
        out = np.empty((end - first + int(ended.sum()), *self.states.shape[1:]), self.states.dtype)
        out[at] = self.after[first:end]
        out[at[ended] + 1] = self.states[first + 1:end + 1][ended]
        return out

    def frame(self, first: int, end: int) -> bytes:
        """Returns the payload with some steps."""
        seen = self.between(first, end)
        if self.form["kind"] == "binary":
            seen = np.packbits(seen, axis=1, bitorder="little")
        rewards = b"" if self.rewards is None else self.rewards[first:end].tobytes()
        return b"".join([self.ends[first:end].tobytes(), self.actions[first:end].tobytes(), rewards, seen.tobytes(),
                         self.options[first:end].tobytes()])

    @property
    def start(self) -> Any:
        """What was observed before the first step, as JSON has it."""
        first = self.states[0]
        return "".join(map(str, first.tolist())) if self.form["kind"] == "binary" else first.tolist()


def first_places(rows: NDArray[Any]) -> NDArray[np.int64]:
    """Returns the places of distinct rows, or numbers, where each is first, ascending."""
    if rows.ndim == 1 and rows.size and (limit := int(rows.max()) + 1) <= 4 * rows.size:
        place = np.full(limit, -1, np.int64)
        place[rows[::-1]] = np.arange(rows.size - 1, -1, -1)  # of the same numbers the last one stays: the first
        return np.sort(place[place >= 0])
    as_bytes = np.ascontiguousarray(rows).reshape(len(rows), -1).view(np.dtype((np.void, rows[0].nbytes)))
    return np.sort(np.unique(as_bytes[:, 0], return_index=True)[1])


def whole(given: ArrayLike, what: str, shape: tuple[int, ...], least: int, limit: int) -> NDArray[np.int64]:
    """Returns whole numbers from least to under a limit, of a shape."""
    array = numbers(given, what, shape)
    unfit = (array != np.floor(array)) | (array < least) | (array >= limit)
    if unfit.any():
        raise UsageError("%s are not whole numbers from %d to %d: %s" % (
            what, least, limit - 1, first_of(array, unfit)), "give such numbers")
    return array.astype(np.int64)


def numbers(given: ArrayLike, what: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Returns finite numbers of a shape; −1 in it stands for any length."""
    if np.iscomplexobj(given):
        raise UsageError("%s are complex numbers" % what, "give real ones, such as their .real")
    try:
        array = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise UsageError("%s are %.80r" % (what, given), "give an array of numbers") from None
    if array.ndim != len(shape) or any(want not in (-1, got) for want, got in zip(shape, array.shape)):
        raise UsageError("%s have the shape %s" % (what, array.shape), "give %s" % (shape,))
    unfit = ~np.isfinite(array)
    if unfit.any():
        raise UsageError("%s have numbers that are not finite: %s" % (what, first_of(array, unfit)),
                         "give finite numbers; a measure that is undefined is None")
    return array


def first_of(array: NDArray[Any], unfit: NDArray[np.bool_]) -> str:
    """Returns the first of the numbers that do not fit, with its index."""
    if array.ndim == 0:
        return str(array)
    at = np.argwhere(unfit)[0].tolist()
    return "%s at %s" % (array[tuple(at)], ", ".join(map(str, at)))


def flags(given: ArrayLike | None, what: str, n: int) -> NDArray[np.bool_]:
    """Returns one of True and False for each step."""
    return np.zeros(n, bool) if given is None else whole(given, what, (n,), 0, 2).astype(bool)


def measures_of(given: Mapping[str, Any]) -> dict[str, float | None]:
    """Returns measures as finite numbers, None for those that are undefined."""
    if not isinstance(given, Mapping):
        raise UsageError("measures are %.80r" % (given,), "give numbers by their names")
    check_measures(given)
    return {name: None if value is None else float(numbers(value, "measure %s" % name, ())) + 0.0
            for name, value in given.items()}


def check_measures(names: Iterable[str]) -> None:
    """Refuses names that measures of one's own cannot have, all at once."""
    refused = [name for name in names if not isinstance(name, str) or not MEASURE.fullmatch(name)]
    if refused:
        raise UsageError("measures have the names %s" % ", ".join("%.80r" % name for name in refused),
                         "give names of up to 40 lower-case letters, digits and _, a letter first")


MEASURE = re.compile("[a-z][a-z0-9_]{0,39}")


def defined(measures: Mapping[str, float | None]) -> dict[str, float]:
    """Returns the measures that are defined: answers leave out the others."""
    return {name: value for name, value in measures.items() if value is not None}
