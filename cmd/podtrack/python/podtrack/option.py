"""An option, and its arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .figure import Figure
from .html import table
from .mapped import Array
from .reports import OptionInfo, Why
from .storefile import StoreFile


class Option:
    """An option ⟨I, π, T⟩ of an iteration. S is the number of states, A of actions, d of features."""

    def __init__(self, store: StoreFile, run: str, arrays: Callable[[str], Array], index: int,
                 info: OptionInfo) -> None:
        self._store, self._run, self._arrays, self._index = store, run, arrays, index
        self.info = info

    @property
    def number(self) -> int:
        """Its number in the run: options are numbered in the order (iteration, j, + before −)."""
        return self.info.number

    @property
    def reference(self) -> str:
        """RUN:K/J±, which every command that takes an option takes, as RUN:#N."""
        return "%s:%d/%d%s" % (self._run, self.info.k, self.info.j, "+" if self.info.sign > 0 else "-")

    @property
    def sigma(self) -> float:
        """The singular value of its eigenpurpose, in units of the features."""
        return self.info.sigma

    @property
    def policy(self) -> NDArray[np.int16]:
        """int16[S]: the index of the action in each state, −1 where the option terminates."""
        return cast("NDArray[np.int16]", self._arrays("policy")[self._index])

    @property
    def initiation(self) -> NDArray[np.bool_]:
        """bool[S]: whether the option can start in the state."""
        return cast("NDArray[np.bool_]", self._arrays("initiation")[self._index])

    @property
    def values(self) -> NDArray[np.float64]:
        """float64[S]: v, the expected discounted intrinsic reward from each state."""
        return cast("NDArray[np.float64]", self._arrays("value")[self._index])

    @property
    def q(self) -> NDArray[np.float64]:
        """float64[S, A]: q, one more backup of v."""
        return cast("NDArray[np.float64]", self._arrays("q")[self._index])

    @property
    def purpose(self) -> NDArray[np.float64]:
        """float64[d]: the eigenpurpose with its sign, of length 1."""
        return cast("NDArray[np.float64]", self._arrays("eigenpurpose")[self._index])

    def why(self) -> Why:
        """Explains where the option comes from."""
        return self._store.why(self)

    def plot(self) -> Figure:
        """Draws values, policy and I over the states."""
        return self._store.plot("option", self.reference)

    def __repr__(self) -> str:
        return "<Option %s: number %d, σ %.4g>" % (self.info.option, self.number, self.sigma)

    def _repr_html_(self) -> str:
        i = self.info
        rows: list[list[Any]] = [
            ["number", i.number], ["σ", i.sigma], ["states in I", i.initiation], ["termination", i.termination],
            ["calls", i.calls], ["mean length", i.length],
        ]
        return table(["", ""], rows, i.option)
