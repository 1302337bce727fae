"""An iteration of a run: its transitions, factors, options and measures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from .documents import decode
from .errors import NotFoundError
from .html import table
from .mapped import Array
from .option import Option
from .reports import IterationInfo, Measures

if TYPE_CHECKING:
    from .run import Run


class Transitions:
    """The steps of an iteration; n is their number, d that of features."""

    def __init__(self, iteration: Iteration) -> None:
        self._iteration = iteration

    @property
    def states(self) -> NDArray[np.int64]:
        """int64[n + 1]: the number of the state before the first step and after each. In an environment of another
        process, and in one of your own, states are numbered as they were first observed."""
        return self._iteration.array("state")

    @property
    def actions(self) -> NDArray[np.int32]:
        """int32[n]: the index of the action of each step."""
        return self._iteration.array("action")

    @property
    def options(self) -> NDArray[np.int32]:
        """int32[n]: the number of the option being executed, −1 for none."""
        return self._iteration.array("option")

    @property
    def delta(self) -> NDArray[np.float64]:
        """float64[n, d]: φ(s') − φ(s) of each step, in units of the features."""
        return self._iteration.array("delta")

    @property
    def rewards(self) -> NDArray[np.float64] | None:
        """float64[n]: the reward of each step, None if the environment declares none."""
        return self._iteration.find_array("reward")

    @property
    def episodes(self) -> NDArray[np.int64] | None:
        """int64[e, 3]: the step before which an episode begins, its first state, and 1 if the episode
        before terminated; None in environments without episodes."""
        return self._iteration.find_array("episode")

    def __len__(self) -> int:
        return self._iteration.info.steps


class Factors:
    """The singular value decomposition of D: u distinct rows, c columns, k directions. k is c, unless only
    the first directions were computed."""

    def __init__(self, iteration: Iteration) -> None:
        self._iteration = iteration

    @property
    def sigma(self) -> NDArray[np.float64]:
        """float64[k]: the singular values, descending, in units of the features."""
        return self._iteration.array("S")

    @property
    def V(self) -> NDArray[np.float64]:
        """float64[c, k]: the right singular vectors, one a column."""
        return self._iteration.array("Vt").T

    @property
    def U(self) -> NDArray[np.float64]:
        """float64[u, k]: the left singular vectors, a row for each distinct row of D."""
        return self._iteration.array("U")

    @property
    def rows(self) -> NDArray[np.float64]:
        """float64[u, c]: the distinct rows of D, ascending."""
        return self._iteration.array("rows")

    @property
    def counts(self) -> NDArray[np.int64]:
        """int64[u]: how often each distinct row occurs."""
        return self._iteration.array("counts")


class Options(Sequence[Option]):
    """The options of an iteration, in the order of their numbers."""

    def __init__(self, iteration: Iteration) -> None:
        self._iteration = iteration
        self._all = [Option(iteration, i, o) for i, o in enumerate(iteration.run.option_infos(iteration.k))]

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> Option: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Option]: ...

    def __getitem__(self, index: int | slice) -> Option | Sequence[Option]:
        return self._all[index]

    def _repr_html_(self) -> str:
        rows = [[o.number, o.info.j, "+" if o.info.sign > 0 else "−", o.sigma, o.info.calls, o.info.length]
                for o in self._all]
        return table(["#", "j", "sign", "σ", "calls", "mean length"], rows,
                     "Options of iteration %d" % self._iteration.k)


class Iteration:
    """Iteration k of a run. With m options, S states, A actions and d features, its arrays are those
    that ``podtrack help python`` lists."""

    def __init__(self, run: Run, history: dict[str, Any]) -> None:
        self.run = run
        self.info = decode(IterationInfo, history)
        self.measures = decode(Measures, history)

    @property
    def k(self) -> int:
        """Its number, counted from 0."""
        return self.info.k

    @property
    def link(self) -> str:
        """The digest that chains the iteration to all before it."""
        return self.info.link

    @property
    def transitions(self) -> Transitions:
        """Its steps, as arrays."""
        return Transitions(self)

    @property
    def factors(self) -> Factors:
        """The factors of its D, as arrays."""
        return Factors(self)

    @cached_property
    def options(self) -> Options:
        """Its options."""
        return Options(self)

    @property
    def policies(self) -> NDArray[np.int16]:
        """int16[m, S]: the policy of each option, −1 where it terminates."""
        return self.array("policy")

    @property
    def values(self) -> NDArray[np.float64]:
        """float64[m, S]: v of each option."""
        return self.array("value")

    @property
    def purposes(self) -> NDArray[np.float64]:
        """float64[m, d]: the eigenpurpose of each option, with its sign."""
        return self.array("eigenpurpose")

    def find_array(self, name: str) -> Array | None:
        """Returns an array, an NDArray, by the name that export has for it; None if the iteration has none."""
        return self.run.arrays.get(self.k, name)

    def array(self, name: str) -> Array:
        """Returns an array, an NDArray, by the name that export has for it, such as ``q``. It cannot
        be written to; parts of it are in memory once they are used."""
        found = self.find_array(name)
        if found is None:
            raise NotFoundError("iteration %d of %s has no array %s" % (self.k, self.run.label, name),
                                "podtrack help python says which environments and learners have it")
        return found

    def __repr__(self) -> str:
        return "<Iteration %d of %s: %d steps, %d options>" % (
            self.k, self.run.label, self.info.steps, self.info.options)

    def _repr_html_(self) -> str:
        return self.run.html_of([self])
