"""A run as it was when it was read."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from .cache import RunArrays
from .documents import decode
from .driving import drive
from .errors import NotFoundError
from .figure import Figure
from .flags import flags_of
from .html import table
from .iteration import Iteration
from .keywords import Changes, Env, Stages, check_keywords
from .option import Option
from .reports import Diff, Finding, OptionInfo, Replay, RunInfo, StageLevel, finding_of
from .services import MAKERS, Given

if TYPE_CHECKING:
    from .store import Store


class Run:
    """A run as it was when it was read: ``run[k]`` is iteration k, ``len(run)`` how many there are."""

    def __init__(self, store: Store, document: dict[str, Any]) -> None:
        self.store = store
        self.info = decode(RunInfo, document)
        self.places: dict[str, list[str]] = document.get("columns", {})  # study, setting, variant; of listed runs

    @property
    def id(self) -> str:
        """The digest of its spec."""
        return self.info.run

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

    def tag(self, *tags: str) -> None:
        """Tags the run, for filters such as ``tag=first``."""
        self._label(*("--tag=" + tag for tag in tags))

    def untag(self, *tags: str) -> None:
        """Takes tags away."""
        self._label(*("--untag=" + tag for tag in tags))

    @property
    def note(self) -> str:
        """A note beside the run, "" if it has none. It can be set."""
        return self.info.note

    @note.setter
    def note(self, text: str) -> None:
        self._label("--note=" + text)

    def _label(self, *flags: str) -> None:
        self.store.binary.run(["label", self.id, *flags, *self.store.flags])
        now = self.refresh().info
        self.info = replace(self.info, tags=now.tags, note=now.note)

    @property
    def spec(self) -> dict[str, Any]:
        """Everything that decides the outcome, as ``podtrack show --spec`` prints it."""
        return self.info.spec

    @cached_property
    def document(self) -> dict[str, Any]:
        """What ``podtrack show RUN --json`` prints."""
        shown = self.store.binary.json(["show", self.id, "--json", *self.store.flags])
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

    def replayed_with(self, given: Collection[str]) -> str:
        """Returns what to give to replay beside that which is given: the environment and stages of one's own."""
        needs = list(dict.fromkeys(level.needs for level in self.levels.values()
                                   if level.needs and level.needs not in given))
        if "collect" in needs:
            return "only the algorithm that was recorded can compute it; run.levels says what is proved without it"
        if not needs:
            return "run.levels says what is proved of each stage"
        return "give what is not podtrack's own: replay(%s)" % ", ".join("%s=…" % name for name in needs)

    @cached_property
    def _all(self) -> list[Iteration]:
        return [Iteration(self, each) for each in self.document["history"]]

    @cached_property
    def _options(self) -> dict[int, list[OptionInfo]]:
        by_iteration: dict[int, list[OptionInfo]] = {}
        for each in self.store.binary.json(["options", self.id, "--json", *self.store.flags]):
            info = decode(OptionInfo, each)
            by_iteration.setdefault(info.k, []).append(info)
        return by_iteration

    @cached_property
    def arrays(self) -> RunArrays:
        """Its arrays, which are exported when they are first used."""
        return RunArrays(self.store.binary, self.store.path, self.id, len(self), self.store.folder)

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

    def refresh(self) -> Run:
        """Returns the run as it is now."""
        return self.store[self.id]

    def diff(self, other: Run | str) -> Diff:
        """Compares the run with another."""
        return self.store.diff(self, other)

    def replay(self, *flags: str, env: Env | None = None, **stages: Unpack[Stages]) -> Replay:
        """Executes every stage again, and compares the results bit for bit. env and the stages method,
        select and learner are those of podtrack.run; a stage of one's own that is not given is not
        executed."""
        return self.store.replay(self, *flags, env=env, **stages)

    def resume(self, iterations: int | None = None, env: Env | None = None, progress: bool = False,
               changed_code: bool = False, **stages: Unpack[Stages]) -> Run:
        """Continues the run, until there are so many iterations; env and stages as in replay, changed_code as
        in podtrack.run."""
        given = Given(env, **stages)
        flags = flags_of({**given.flags, "iterations": iterations, "changed_code": changed_code})
        arguments = ["resume", self.id, "--json", *flags, *self.store.flags]
        self.store.made(drive(self.store.binary, arguments, given.services, progress=progress))
        return self.refresh()

    def fork(self, k: int, env: Env | None = None, name: str | None = None, iterations: int | None = None,
             changed_code: bool = False, **changes: Unpack[Changes]) -> Run:
        """Makes a run that shares this one's iterations before k, and continues with a changed spec, as
        in ``run.fork(3, kappa=8)``; env, and stages that are functions, as in replay."""
        check_keywords(changes, Changes)
        stages = {key: value for key, value in changes.items() if key in MAKERS and not isinstance(value, str)}
        changed = ["--set=%s=%s" % (key, value) for key, value in changes.items() if key not in stages]
        given = Given(env, **stages)
        flags = flags_of({**given.flags, "name": name, "iterations": iterations, "changed_code": changed_code})
        arguments = ["fork", "%s:%d" % (self.id, k), "--json", *flags, *changed, *self.store.flags]
        return self.store[self.store.made(drive(self.store.binary, arguments, given.services))[0]]

    def plot(self, kind: str, *flags: str) -> Figure:
        """Draws a figure of the run, such as walk, coverage, spectrum or purposes."""
        return self.store.plot(kind, self.id, *flags)

    def export(self, path: str | os.PathLike[str], *flags: str) -> None:
        """Writes the arrays to an npz file, or what else ``podtrack export`` writes."""
        self.store.binary.run(["export", self.id, "-o", os.fspath(path), *flags, *self.store.flags])

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
