"""Methods, selections and learners of one's own, as functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .identity import as_declared, code_of, text_of, version_of
from .steps import check_measures

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Input = TypeVar("Input")
Output = TypeVar("Output")


@dataclass(frozen=True)
class MethodInput:
    """What an iteration's directions are computed from: D of c columns and u distinct rows.

    Attributes
    ----------
    spec
        The run's spec.
    k
        The iteration.
    features
        The names of the columns.
    rows
        float64[u, c], the distinct rows of D, ascending.
    counts
        int64[u], how often each occurs.
    states
        float64[S, d], φ of each state; None unless the method asks for transitions.
    transitions
        int64[t, 5]: state, action, next state, count, and 1 where the episode ended; None
        unless the method asks for them.
    """

    spec: dict[str, Any]
    k: int
    features: list[str]
    rows: Floats
    counts: Ints
    states: Floats | None = None
    transitions: Ints | None = None


@dataclass(frozen=True)
class OptionPurpose:
    """An eigenpurpose: direction j, its sign and σ, the vector with that sign, float64[c], and the number
    of its option, −1 if that is to be learned."""

    number: int
    j: int
    sign: int
    sigma: float
    vector: Floats


@dataclass(frozen=True)
class SelectInput:
    """What a selection decides from: n directions with σ > 0, the largest first.

    Attributes
    ----------
    spec
        The run's spec.
    k
        The iteration.
    rows
        How many rows D has.
    sigma
        float64[n].
    vectors
        float64[n, c], a direction a row.
    signs
        int64[n], those that built-in selections would choose; None unless one side is followed.
    options
        The purposes of the options in the action set.
    """

    spec: dict[str, Any]
    k: int
    rows: int
    sigma: Floats
    vectors: Floats
    signs: Ints | None
    options: list[OptionPurpose]


@dataclass(frozen=True)
class Selection:
    """The decisions of a selection, one for each direction.

    Attributes
    ----------
    keep
        Whether it becomes options.
    reasons
        Why, one of podtrack's words: ``kept`` of a direction that is; else ``noise`` (its number is
        not above a threshold), ``large`` (it is), ``rank`` (not among the first), ``share`` (those before
        it have the share), ``draw`` (not drawn), ``known`` (the action set has a similar purpose), or
        ``declined``. None if there is no more to say than keep does.
    numbers
        What was compared.
    nearest
        The number of the most similar option, −1 for none.
    signs
        1 or −1, where one side is followed.
    """

    keep: ArrayLike
    reasons: Sequence[str] | None = None
    numbers: ArrayLike | None = None
    nearest: ArrayLike | None = None
    signs: ArrayLike | None = None


@dataclass(frozen=True)
class Model:
    """What a learner learns on, the same for all purposes of an iteration.

    Attributes
    ----------
    states
        S, how many there are.
    actions
        A.
    transitions
        int64[t, 5]: state, action, next state, count, and 1 where the episode ended. The
        counts of an action in a state are proportional to the probabilities of its next states.
    features
        float64[S, d], φ of each state; None unless the learner learns weights.
    """

    states: int
    actions: int
    transitions: Ints
    features: Floats | None = None


@dataclass(frozen=True)
class LearnInput:
    """What an option is learned from.

    Attributes
    ----------
    spec
        The run's spec.
    k
        The iteration.
    purpose
        The eigenpurpose.
    w
        float64[S], eᵀφ(s): the reward of a transition from s to s' is w[s'] − w[s].
    tolerance
        Values closer than this are equal.
    model
        What it learns on.
    """

    spec: dict[str, Any]
    k: int
    purpose: OptionPurpose
    w: Floats
    tolerance: float
    model: Model


@dataclass(frozen=True)
class MeasureInput:
    """What an iteration is measured by: the spec, the iteration, and the measures of podtrack by their names,
    None for one that is undefined."""

    spec: dict[str, Any]
    k: int
    measures: dict[str, float | None]


@dataclass(frozen=True)
class Stage(Generic[Input, Output]):
    """A stage that is a function, and what it declares. It can be called as the function can. declared_version is ""
    where none was given."""

    stage: str
    function: Callable[[Input], Output]
    name: str
    declared_version: str
    parameters: dict[str, str] = field(default_factory=dict)
    choices: dict[str, Any] = field(default_factory=dict)

    def __call__(self, given: Input) -> Output:
        return self.function(given)

    @property
    def version(self) -> str:
        """A digest of all that the function reaches now, or the version that was given, with one of what it holds."""
        return version_of({self.stage: self.function}, self.declared_version, self.parameters)

    @property
    def digests(self) -> dict[str, str]:
        """A digest of the code that a given version stands for."""
        return code_of(self.name, {self.stage: self.function}, self.declared_version, self.parameters)

    @property
    def declaration(self) -> dict[str, Any]:
        """What enters the spec."""
        declared: dict[str, Any] = {"name": self.name, "version": self.version, **self.choices}
        if self.parameters:
            declared["params"] = as_declared(self.parameters)
        return declared


def _stage(stage: str, function: Callable[[Input], Output], name: str, version: str,
           parameters: Mapping[str, Any] | None, **choices: Any) -> Stage[Input, Output]:
    texts = {key: text_of(key, value) for key, value in (parameters or {}).items()}
    given = {key: value for key, value in choices.items() if value}
    named = getattr(function, "__name__", "").strip("<>") or type(function).__name__
    made: Stage[Input, Output] = Stage(stage, function, name or named, version, texts, given)
    made.version  # what cannot be digested is refused at once
    return made


Directions = tuple[ArrayLike, ArrayLike]
MethodFunction = Callable[[MethodInput], Directions]
SelectFunction = Callable[[SelectInput], "Selection | ArrayLike"]
LearnFunction = Callable[[LearnInput], ArrayLike]
Method = Stage[MethodInput, Directions]
Select = Stage[SelectInput, "Selection | ArrayLike"]
Learner = Stage[LearnInput, ArrayLike]
MeasureFunction = Callable[[MeasureInput], Mapping[str, Any]]
Measure = Stage[MeasureInput, Mapping[str, Any]]


@overload
def method(function: MethodFunction, *, name: str = "", version: str = "", parameters: Mapping[str, Any] | None = None,
           transitions: bool = False) -> Method: ...


@overload
def method(function: None = None, *, name: str = "", version: str = "", parameters: Mapping[str, Any] | None = None,
           transitions: bool = False) -> Callable[[MethodFunction], Method]: ...


def method(function: MethodFunction | None = None, *, name: str = "", version: str = "",
           parameters: Mapping[str, Any] | None = None, transitions: bool = False) -> Any:
    """Makes a method of a function, in place of the singular value decomposition of D: it returns σ,
    float64[r], descending and at least 0, and vectors of length 1, float64[r, c], one a row.

    Every stage is a deterministic function of its input: the same bits for the same input, in every
    process and on every machine. Replaying executes it again, and compares.

    Parameters
    ----------
    function
        The function; without it a decorator is returned.
    name
        By default that of the function.
    version
        A text to change whenever the function computes something else; by default a digest of all
        that its code reaches. It stands for the code, and for what cannot be digested; what a closure
        or an object holds is digested beside it.
    parameters
        What else decides what it computes, names and values. Each stands for the variable of a
        closure, the attribute or the global of its name.
    transitions
        Whether it is given the observed transitions.
    """
    def make(f: MethodFunction) -> Method:
        return _stage("method", f, name, version, parameters, input="transitions" if transitions else "")

    return make if function is None else make(function)


@overload
def select(function: SelectFunction, *, name: str = "", version: str = "",
           parameters: Mapping[str, Any] | None = None) -> Select: ...


@overload
def select(function: None = None, *, name: str = "", version: str = "",
           parameters: Mapping[str, Any] | None = None) -> Callable[[SelectFunction], Select]: ...


def select(function: SelectFunction | None = None, *, name: str = "", version: str = "",
           parameters: Mapping[str, Any] | None = None) -> Any:
    """Makes a selection of a function: it returns whether each direction is kept, bool[n], or a
    :class:`Selection`. The arguments are those of :func:`method`."""
    def make(f: SelectFunction) -> Select:
        return _stage("select", f, name, version, parameters)

    return make if function is None else make(function)


@overload
def learner(function: LearnFunction, *, name: str = "", version: str = "",
            parameters: Mapping[str, Any] | None = None, learns: str = "values", model: str = "own") -> Learner: ...


@overload
def learner(function: None = None, *, name: str = "", version: str = "", parameters: Mapping[str, Any] | None = None,
            learns: str = "values", model: str = "own") -> Callable[[LearnFunction], Learner]: ...


def learner(function: LearnFunction | None = None, *, name: str = "", version: str = "",
            parameters: Mapping[str, Any] | None = None, learns: str = "values", model: str = "own") -> Any:
    """Makes a learner of a function: it returns v, float64[S], at least 0, the value of ⊥; or weights,
    float64[A, d + 1], those of the constant first, if ``learns="weights"``. podtrack derives the option
    from it. model is "own", the environment's, or "observed", that of the observed transitions. The
    other arguments are those of :func:`method`."""
    def make(f: LearnFunction) -> Learner:
        return _stage("learner", f, name, version, parameters, learns=learns, model=model)

    return make if function is None else make(function)


def measure(names: Sequence[str], *, name: str = "", version: str = "",
            parameters: Mapping[str, Any] | None = None) -> Callable[[MeasureFunction], Measure]:
    """Makes measures of a function, beside those of podtrack: it returns a number for each of names, None
    for one that is undefined. The other arguments are those of :func:`method`."""
    def make(f: MeasureFunction) -> Measure:
        check_measures(names)
        return _stage("measure", f, name, version, parameters, measures=list(names))

    return make
