"""A run and its iterations, as they are read: transitions, factors, options and measures."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .cache import RunArrays
from .documents import decode
from .errors import NotFoundError, given_path
from .figure import Figure
from .html import table
from .mapped import Array
from .option import Option
from .reports import Diff, Finding, IterationInfo, Measures, OptionInfo, RunInfo, StageLevel, finding_of
from .storefile import StoreFile


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

    @cached_property
    def V(self) -> NDArray[np.float64]:
        """float64[c, k]: the right singular vectors, one a column."""
        vectors = np.ascontiguousarray(self._iteration.array("Vt").T)
        vectors.flags.writeable = False
        return vectors

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
        self._iteration, run = iteration, iteration.run
        self._all = [Option(run.store, run.id, iteration.array, i, each)
                     for i, each in enumerate(run.option_infos(iteration.k))]

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

    def __init__(self, run: RecordedRun, history: dict[str, Any]) -> None:
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


class RecordedRun:
    """What is recorded of a run, as it was when it was read."""

    def __init__(self, store: StoreFile, document: dict[str, Any]) -> None:
        self._store = store
        self.info = decode(RunInfo, document)
        self.places: dict[str, list[str]] = document.get("columns", {})  # study, setting, variant; of listed runs

    @property
    def store(self) -> Any:
        """Its store, a :class:`podtrack.Store`."""
        return self._store

    @property
    def id(self) -> str:
        """The digest of its spec."""
        return self.info.run

    @property
    def reference(self) -> str:
        """What the program takes for it."""
        return self.id

    @property
    def name(self) -> str:
        """Its name, "" if it has none."""
        return self.info.name

    @property
    def label(self) -> str:
        """Its name, or the short form of its ID."""
        return self.info.name or self.info.short

    @property
    def seed(self) -> int:
        """The seed."""
        return self.info.seed

    @property
    def head(self) -> str | None:
        """The link of the last iteration, which stands for everything in the run."""
        return self.info.head

    @property
    def status(self) -> str:
        """running, interrupted, complete or failed."""
        return self.info.status

    @property
    def tags(self) -> list[str]:
        """Its tags: see :meth:`tag`."""
        return list(self.info.tags)

    @property
    def spec(self) -> dict[str, Any]:
        """Everything that decides the outcome, as ``podtrack show --spec`` prints it."""
        return self.info.spec

    @cached_property
    def document(self) -> dict[str, Any]:
        """What ``podtrack show RUN --json`` prints."""
        shown = self._store.binary.json(["show", self.id, "--json", *self._store.flags])
        assert isinstance(shown, dict)
        return shown

    @cached_property
    def levels(self) -> dict[str, StageLevel]:
        """How much the head proves, by stage, as in ``run.levels["select"].level``."""
        return {each["stage"]: decode(StageLevel, each) for each in self.document.get("levels", [])}

    @property
    def proves(self) -> str:
        """What the head proves by these levels, as a line of text, "" before the first iteration."""
        return str(self.document.get("proves", ""))

    @cached_property
    def findings(self) -> list[Finding]:
        """What is worth a look, such as options that are never called, with what to try."""
        return [finding_of(each) for each in self.document.get("findings", [])]

    @cached_property
    def _all(self) -> list[Iteration]:
        return [Iteration(self, each) for each in self.document["history"]]

    @cached_property
    def _options(self) -> dict[int, list[OptionInfo]]:
        by_iteration: dict[int, list[OptionInfo]] = {}
        for each in self._store.binary.json(["options", self.id, "--json", *self._store.flags]):
            info = decode(OptionInfo, each)
            by_iteration.setdefault(info.k, []).append(info)
        return by_iteration

    @cached_property
    def arrays(self) -> RunArrays:
        """Its arrays, which are exported when they are first used."""
        return RunArrays(self._store.binary, self._store.path, self.id, len(self), self._store.folder)

    def option_infos(self, k: int) -> list[OptionInfo]:
        """Returns what is known of the options of iteration k."""
        return self._options.get(k, [])

    @property
    def options(self) -> list[Option]:
        """All options, in the order of their numbers."""
        return [option for iteration in self for option in iteration.options]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Iteration]:
        return iter(self._all)

    def __getitem__(self, k: int) -> Iteration:
        try:
            return self._all[k]
        except IndexError:
            raise NotFoundError("run %s has no iteration %d" % (self.label, k),
                                "it has %d, counted from 0" % len(self)) from None

    def diff(self, other: RecordedRun | str) -> Diff:
        """Compares the run with another."""
        return self._store.diff(self, other)

    def plot(self, kind: str, *flags: str) -> Figure:
        """Draws a figure of the run, such as walk, coverage, spectrum or purposes."""
        return self._store.plot(kind, self.id, *flags)

    def export(self, path: str | os.PathLike[str], *flags: str) -> None:
        """Writes the arrays to an npz file, or what else ``podtrack export`` writes."""
        self._store.binary.run(["export", self.id, "-o", given_path("export", path), *flags, *self._store.flags])

    def html_of(self, iterations: list[Iteration]) -> str:
        """Returns a table of some iterations."""
        own = self.spec.get("stages", {}).get("measure", {}).get("measures", [])
        rows = [[i.k, i.link[:12], i.info.purposes, i.info.available, i.measures.calls, i.measures.option_length,
                 i.measures.distance, i.measures.states_visited, *map(i.measures.external.get, own)]
                for i in iterations]
        header = ["k", "link", "purposes", "available", "calls", "option length", "distance", "states", *own]
        return table(header, rows, "Run %s, %s" % (self.label, self.status))

    def __repr__(self) -> str:
        return "<Run %s: %s, seed %d, %d of %d iterations, %s>" % (
            self.label, self.info.env, self.seed, self.info.iterations, self.info.target, self.status)

    def _repr_html_(self) -> str:
        return self.html_of(self._all)
