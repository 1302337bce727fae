"""A run, and what can be done with it: label, replay, resume, fork."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from .driving import drive
from .errors import NotFoundError, UsageError, given_text
from .flags import flags_of
from .iteration import RecordedRun
from .keywords import Changes, Env, Stages, check_keywords
from .reports import Replay
from .services import MAKERS, Given
from .storefile import StoreFile, reference_of


class Run(RecordedRun):
    """A run as it was when it was read: ``run[k]`` is iteration k, ``len(run)`` how many there are."""

    @classmethod
    def find(cls, store: StoreFile, reference: str) -> Run:
        """Returns a run of a store by its name, the beginning of its ID, or @N for the N-th newest."""
        try:
            shown = store.binary.json(["show", reference_of(reference), "--json", *store.flags])
        except UsageError as error:
            raise NotFoundError(error.message, error.remedy, error.code) from None
        run = cls(store, shown)
        run.__dict__["document"] = shown
        return run

    def tag(self, *tags: str) -> None:
        """Tags the run, for filters such as ``tag=first``."""
        self._label(*("--tag=" + given_text("tag", tag) for tag in tags))

    def untag(self, *tags: str) -> None:
        """Takes tags away."""
        self._label(*("--untag=" + given_text("tag", tag) for tag in tags))

    @property
    def note(self) -> str:
        """A note beside the run, "" if it has none. It can be set."""
        return self.info.note

    @note.setter
    def note(self, text: str) -> None:
        self._label("--note=" + given_text("note", text))

    def _label(self, *flags: str) -> None:
        self._store.binary.run(["label", self.id, *flags, *self._store.flags])
        now = self.refresh().info
        self.info = replace(self.info, tags=now.tags, note=now.note)

    def refresh(self) -> Run:
        """Returns the run as it is now."""
        return Run.find(self._store, self.id)

    def replay(self, *flags: str, env: Env | None = None, **stages: Unpack[Stages]) -> Replay:
        """Executes every stage again, and compares the results bit for bit. env and the stages method,
        select and learner are those of podtrack.run; a stage of one's own that is not given is not
        executed."""
        return self._store.replay(self, *flags, env=env, **stages)

    def resume(self, iterations: int | None = None, env: Env | None = None, progress: bool = False,
               changed_code: bool = False, **stages: Unpack[Stages]) -> Run:
        """Continues the run, until there are so many iterations; env and stages as in replay, changed_code as
        in podtrack.run."""
        given = Given(env, **stages)
        flags = flags_of({**given.flags, "iterations": iterations, "changed_code": changed_code})
        arguments = ["resume", self.id, "--json", *flags, *self._store.flags]
        self._store.made(drive(self._store.binary, arguments, given.services, progress=progress))
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
        arguments = ["fork", "%s:%d" % (self.id, k), "--json", *flags, *changed, *self._store.flags]
        return Run.find(self._store, self._store.made(drive(self._store.binary, arguments, given.services))[0])
