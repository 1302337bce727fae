"""Records an algorithm of one's own, iteration by iteration."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .adapter.loop import said
from .binary import parse
from .documents import decode
from .driving import Call, drive
from .errors import (EnvironmentFailed, LockedError, NotFoundError, PodtrackError, StageFailed, StorageError,
                     UsageError)
from .flags import flags_of
from .option import Option
from .processes import argument_of, finalize
from .record_service import PARTS, Given, RecordService
from .reports import Replay
from .run import Run
from .services import Given as Services
from .stages import Selection
from .steps import PackedSteps, Steps, first_places, measures_of, steps_of
from .storefile import StoreFile


FOREVER = "87600h"
"""How long podtrack waits for the next iteration: computing it may take long, and podtrack notices if this
process ends."""


P = ParamSpec("P")
R = TypeVar("R")


def one_at_a_time(method: Callable[P, R]) -> Callable[P, R]:
    """Has the threads of a process wait for each other in methods of a recording."""
    @functools.wraps(method)
    def called(*given: P.args, **named: P.kwargs) -> R:
        recording: Any = given[0]
        with recording._lock if recording._process == os.getpid() else nullcontext():  # a fork records nothing
            return method(*given, **named)
    return called


class Recording:
    """A run that is recorded: what :func:`podtrack.record` returns. ``next`` is the iteration that comes
    next."""

    def __init__(self, store: StoreFile, name: str, algorithm: dict[str, Any], declared: dict[str, dict[str, Any]],
                 services: Services, form: dict[str, Any] | None, spec: dict[str, Any], iterations: int | None,
                 check: bool) -> None:
        self._store, self.name, self.spec, self._target, self._check = store, name, spec, iterations, check
        self._algorithm, self._declared, self._services, self._form = algorithm, declared, services, form
        self._service = RecordService(declared)
        self._known: list[bytes] | None = None
        self._call: Call | None = None
        self._closing: Any = None
        self._process, self._is_open, self._lock = os.getpid(), False, threading.RLock()
        self.next = 0
        run = self._find()
        if run is not None:
            self.next = len(run)
            self._declare_measures(run.spec.get("stages", {}).get("measure", {}).get("measures", []))
        if self.next:
            self._compare()

    @property
    def store(self) -> Any:
        """Its store, a :class:`podtrack.Store`."""
        return self._store

    def _compare(self) -> None:
        """Raises an error if the run of that name has another spec."""
        call = self._start(iterations=self.next)
        call.serve()
        with suppress(LockedError):  # the next iteration meets it if the lock is still held
            self._head(call)

    def _find(self) -> Run | None:
        if not os.path.exists(self._store.path):
            return None
        try:
            return Run.find(self._store, self.name)
        except NotFoundError:
            return None

    @property
    def run(self) -> Run:
        """The run as it is recorded now: its iterations, options, transitions as arrays."""
        return Run.find(self._store, self.name)

    @property
    def options(self) -> list[Option]:
        """The options of all recorded iterations, by their numbers."""
        return self.run.options if self.next else []

    def states(self, transitions: Steps | Mapping[str, Any] | None = None) -> NDArray[Any]:
        """Returns what was observed so far in an environment of your own, the given steps included, in
        the order in which each was first observed, which is that of podtrack's states: int[S], or float[S, d]."""
        if self._form is None:
            raise UsageError("the states of an environment of podtrack are numbered by it",
                             "leave it to podtrack env")
        known = self._observed()
        if transitions is not None:
            known = self._extended(known, self._packed(transitions))
        dtype = {"discrete": "<u4", "binary": "u1", "real": "<f8"}[self._form["kind"]]
        rows = np.frombuffer(b"".join(known), dtype)
        return rows if self._form["kind"] == "discrete" else rows.reshape(len(known), -1)

    @one_at_a_time
    def iteration(self, *, transitions: Steps | Mapping[str, Any] | None = None,
                  factors: tuple[ArrayLike, ArrayLike] | None = None,
                  purposes: ArrayLike | Selection | None = None,
                  values: Sequence[ArrayLike] | NDArray[Any] | None = None,
                  options: Sequence[ArrayLike] | NDArray[Any] | None = None,
                  measures: Mapping[str, Any] | None = None) -> str:
        """Records the next iteration, and returns its link once podtrack has it on the disk. What
        podtrack computes (collect, method, select or learner of :func:`podtrack.record`) is left out.

        Parameters
        ----------
        transitions
            The steps, as many as the spec says.
        factors
            (sigma, vectors): float[r], descending, and float[r, d], a direction of length 1 a row.
        purposes
            Whether each direction with σ > 0 becomes options, or a :class:`Selection`.
        values
            [m, S], v of each option: of the first kept direction with sign +, then −, of the next
            one …; in an environment of your own with n observations [m, n]. At least 0. With
            ``learns="weights"`` [m, A, d + 1].
        options
            The policy of each, as the values have them: an action, or −1 where it ends. podtrack
            derives the options from the values; these are compared with them.
        measures
            Numbers of your own by their names, None for one that is undefined. The first
            iteration decides which there are; all others have the same.
        """
        if self._process != os.getpid():
            raise UsageError("process %d records this run" % self._process,
                             "record there, or begin a recording of another name here")
        if self._target is not None and self.next >= self._target:
            raise UsageError("iterations=%d are recorded" % self._target,
                             "close the recording, or give more iterations")
        measured = None if measures is None else measures_of(measures)
        if self.next == 0:
            self._declare_measures(measured or [])
        for stage, part in PARTS.items():
            given = {"transitions": transitions, "factors": factors, "purposes": purposes, "values": values,
                     "measures": measured}[part]
            if (given is None) == (stage in self._declared):
                raise UsageError("iteration %d %s %s" % (self.next, "lacks" if given is None else "has", part),
                                 "give what this recording records: " + ", ".join(PARTS[s] for s in self._declared))
        if options is not None and (values is None or len(options) != len(values)):
            raise UsageError("policies of %d options" % len(options),
                             "give one beside each of values, or leave them out")
        steps = None if transitions is None else self._packed(transitions)
        known, order = None, None
        if self._form is not None and steps is not None:
            known = self._extended(self._observed(), steps)
            if self._form["kind"] == "discrete":
                order = np.frombuffer(b"".join(known), "<u4").astype(np.int64)
        counts = (None, None) if self._form is None or known is None else (len(known), features_of(self._form))
        self._service.given = Given(self.next, steps, factors, purposes, values, options, order, measured, *counts)
        head = self._continue() if "collect" in self._declared else self._drive()
        self._known, self.next = known, self.next + 1
        self._service.finish()
        return head

    def _declare_measures(self, names: Collection[str]) -> None:
        """Declares which measures the algorithm has in every iteration."""
        self._declared.pop("measure", None)
        if names:
            self._declared["measure"] = {**self._algorithm, "measures": sorted(names)}

    def replay(self) -> Replay:
        """Compares what podtrack can compute again, and verifies the rest: each stage of an iteration in
        ``json["iterations"]`` has a level, recomputed, verified or claimed (podtrack help stages)."""
        output = drive(self._store.binary, ["replay", self.name, "--json", *self._store.flags], {}, (0, 1, 125))
        document = next(each for each in map(parse, output.splitlines()) if each.get("type") == "replay")
        return decode(Replay, {**document, "json": document})

    def _continue(self) -> str:
        """Has the iteration recorded by a podtrack that then waits for the next one."""
        if self._call is None:
            self._call = self._start(iterations=self._target, until_end=True, timeout=FOREVER)
            self._closing = finalize(self, Call.close, self._call)
        else:
            self._service.resume()
        if self._call.serve():
            return self._service.link
        return self._head(self._close())

    def _drive(self) -> str:
        """Has the iteration recorded by a podtrack that ends with it."""
        more = self._target is None or self.next + 1 < self._target
        call, self._is_open = self._start(unfinished=str(more).lower()), False
        call.serve()
        try:
            head, self._is_open = self._head(call), more
        except StorageError as error:  # of the last commit, which has the iteration here
            named = "" if error.message.startswith("iteration ") else "iteration %d: " % self.next
            raise StorageError(named + error.message, error.remedy, error.code) from None
        return head

    def _end(self, **flags: str) -> None:
        """Tells podtrack how a recording ended for whose next iteration none waits."""
        call = self._start(iterations=self.next, **flags)
        call.serve()
        call.output()

    def _start(self, **flags: Any) -> Call:
        services = {**self._services.services, **({"record": self._service} if self._declared else {})}
        given = flags_of({**self._services.flags, **self.spec, "name": self.name, "iterations": self.next + 1,
                          "recheck": self._check, **flags})
        return Call(self._store.binary, ["run", "--json", *given, *self._store.flags], services)

    def _head(self, call: Call) -> str:
        """Returns the head that a call reached."""
        try:
            output = call.output()
        except (EnvironmentFailed, StageFailed) as failed:
            if isinstance(failed.__cause__, PodtrackError):
                raise failed.__cause__ from None
            raise
        finally:
            self._service.failure = None
        made = next(each for each in map(parse, output.splitlines()) if each.get("type") == "run")
        self._store.made(output)
        return str(made["head"])

    def _close(self, end: Callable[[Call], None] | None = None) -> Call:
        """Ends the podtrack that waits, and returns its call."""
        assert self._call is not None
        call, self._call = self._call, None
        self._closing.detach()
        (end or self._finish)(call)
        return call

    def _finish(self, call: Call) -> None:
        """Tells a podtrack that waits that there are no more iterations, and lets it end."""
        if self._service.waits:
            self._service.end()
            call.serve()
        else:
            call.close()

    @one_at_a_time
    def close(self) -> None:
        """Ends the recording: the run is complete, unless it has fewer iterations than were to be recorded. Another
        iteration opens it again."""
        if self._process != os.getpid():
            return
        if self._call is not None:
            self._head(self._close())
        elif self._is_open and self._target is None:
            self._end(unfinished="false")
        self._is_open = False

    @one_at_a_time
    def _fail(self, error: BaseException) -> None:
        """Ends the recording with an exception of the algorithm: the run has failed, or was interrupted."""
        if self._process != os.getpid():
            return
        with suppress(PodtrackError):
            if self._call is not None:
                self._close(self._refuse(error) if isinstance(error, Exception) else Call.close).output()
            elif self._is_open and isinstance(error, Exception):
                self._end(unfinished="true", failed=argument_of(said(error)))
        self._is_open, self._service.refusal, self._service.failure = False, None, None

    def _refuse(self, error: Exception) -> Callable[[Call], None]:
        """Returns what answers a podtrack that waits with an exception, and lets it end."""
        def refuse(call: Call) -> None:
            self._service.refusal, self._service.given = error, None
            if self._service.waits:
                self._service.resume()
            call.serve()
        return refuse

    def _packed(self, transitions: Steps | Mapping[str, Any]) -> PackedSteps:
        steps = transitions if isinstance(transitions, Steps) else steps_of(transitions)
        form = self._form or {"kind": "discrete", "n": 1 << 32}
        try:
            count = int(self.spec.get("steps", 1000))
        except (TypeError, ValueError):
            raise UsageError("steps=%.80r" % self.spec["steps"],
                             "give a whole number, of the steps of an iteration") from None
        return PackedSteps(steps, count, form, bool(form.get("reward")))

    def _observed(self) -> list[bytes]:
        """What was observed in recorded iterations, by state."""
        if self._known is None:
            self._known, form = [], self._form
            assert form is not None
            recorded = list(self.run) if self.next else []
            for iteration in recorded:
                phi = iteration.array("observation")
                if form["kind"] == "discrete":
                    rows = phi.argmax(axis=1).astype("<u4") if len(phi) else np.empty(0, "<u4")
                else:
                    rows = phi.astype("u1" if form["kind"] == "binary" else "<f8")
                self._known += [row.tobytes() for row in rows]
        return self._known

    @staticmethod
    def _extended(known: list[bytes], steps: PackedSteps) -> list[bytes]:
        rows = np.concatenate([steps.states[:1], steps.between(0, len(steps.actions))])
        return list(dict.fromkeys(known + [row.tobytes() for row in rows[first_places(rows)]]))

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self._fail(error)

    def __repr__(self) -> str:
        return "<Recording %s: %d iterations>" % (self.name, self.next)


def features_of(form: dict[str, Any]) -> int:
    """Returns how many features a form of observations has."""
    return int(form["n"]) if form["kind"] == "discrete" else len(form["features"])
