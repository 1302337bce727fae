"""A store, and what is asked of it."""

from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

from .binary import Binary, parse
from .documents import decode
from .driving import drive, warn
from .errors import NoStoreError, NotFoundError, UnverifiedError, UsageError, from_output
from .figure import Figure
from .flags import flags_of
from .folder import Folder
from .keywords import Env, Stages
from .option import Option
from .page import Page
from .reports import Diff, Replay, Why, finding_of
from .run import Run
from .runs import PLACES, Runs
from .services import Given

if TYPE_CHECKING:
    from .recording import Recording
    from .study import Study


class Store:
    """A store of podtrack. Nothing holds its file open: each question is a call of the program, which
    others may use beside this one."""

    def __init__(self, path: str, binary: Binary) -> None:
        self.path, self.binary = path, binary
        self.folder = Folder()
        self._pages: list[Page] = []

    @property
    def flags(self) -> list[str]:
        """The flags that name the store."""
        return ["--store", self.path]

    def runs(self, *filters: str) -> Runs:
        """Returns the runs that filters such as ``"seed=0-9"`` find (podtrack help filters), in
        the order of their seeds; without one all runs. A filter that no run matches finds none."""
        terms = [reference_of(each) for each in filters]
        done = self.binary.call(["ls", *terms, "--columns", ",".join(PLACES), "--json", *self.flags])
        if done.returncode and done.stdout.strip() != b"[]":  # which is what a filter finds that no run matches
            raise from_output(done.returncode, done.stderr.decode(errors="replace"))
        listed = parse(done.stdout)
        found = [Run(self, each) for each in listed]
        return Runs(self, sorted(found, key=lambda run: (run.seed, run.info.created)))

    def __getitem__(self, reference: str) -> Run:
        """Returns a run by its name, the beginning of its ID, or @N for the N-th newest."""
        if not isinstance(reference, str):
            raise TypeError("store[%r]: a run has a name; store.runs() lists all" % (reference,))
        try:
            shown = self.binary.json(["show", reference_of(reference), "--json", *self.flags])
        except UsageError as error:
            raise NotFoundError(error.message, error.remedy, error.code) from None
        run = Run(self, shown)
        run.__dict__["document"] = shown
        return run

    def made(self, output: bytes) -> list[str]:
        """Returns the IDs of the runs that a call has made or continued, and warns of what was found in them."""
        runs = [document for document in map(parse, output.splitlines()) if document.get("type") == "run"]
        for run in runs:
            for each in run.get("findings", []):
                warn("run %s, %s" % (run["name"] or run["short"], finding_of(each)))
        return [run["run"] for run in runs]

    def why(self, option: Option | str, *flags: str) -> Why:
        """Explains where an option comes from: its eigenpurpose, the data behind that, the options that
        led there."""
        document = self.binary.json(["why", reference_of(option), "--json", *flags, *self.flags])
        return decode(Why, {**document, "json": document})

    def diff(self, a: Run | Option | str, b: Run | Option | str, *flags: str) -> Diff:
        """Compares two runs, iterations or options: their specs, records, and what they mean."""
        arguments = ["diff", reference_of(a), reference_of(b), "--json", "--exit-zero", *flags, *self.flags]
        document = self.binary.json(arguments)
        return decode(Diff, {**document, "json": document})

    def record(self, name: str, **given: Any) -> Recording:
        """Records an algorithm of your own as a run of this store: :func:`podtrack.record`."""
        from .recording import record

        return record(name, store=self, **given)

    def replay(self, run: Run | str, *flags: str, env: Env | None = None, **stages: Unpack[Stages]) -> Replay:
        """Executes every stage of a run again, and compares the results bit for bit. env and stages are
        those of podtrack.run, of a run that has some of its own; flags are more of ``podtrack replay``."""
        given = Given(env, **stages)
        arguments = ["replay", reference_of(run), "--json", *flags, *flags_of(given.flags), *self.flags]
        try:
            documents = [parse(line) for line in drive(self.binary, arguments, given.services, (0, 1)).splitlines()]
        except UnverifiedError as error:
            of = run if isinstance(run, Run) else self[run]
            raise UnverifiedError(error.message, of.replayed_with(given.names), error.code) from None
        document = next((d for d in documents if d.get("type") == "replay"), None)
        if document is None:
            raise UsageError("replay of %s found nothing to say" % reference_of(run))
        return decode(Replay, {**document, "json": document})

    def plot(self, kind: str, *references: str) -> Figure:
        """Draws a figure (podtrack plot --help lists the kinds) of runs or options, with more flags if
        they are given."""
        return Figure(self.binary, self.folder, [kind, *references], self.flags)

    def study(self, which: str | os.PathLike[str], **given: Any) -> Study:
        """Makes a study of a file, or reads the one of a name: :func:`podtrack.study`."""
        from .study import study

        return study(which, store=self, **given)

    def serve(self) -> Page:
        """Serves the page on which a browser shows the store, as ``podtrack serve`` does, from another process. It
        ends with the page's ``close`` or ``with`` block, or with this object."""
        self._pages.append(Page(self.binary, self.path))
        return self._pages[-1]

    def close(self) -> None:
        """Ends its pages, and removes the temporary files. Arrays that were read stay readable on Unix."""
        for page in self._pages:
            page.close()
        self._pages.clear()
        self.folder.remove()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<Store %s>" % self.path

    def _repr_html_(self) -> str:
        return self.runs()._repr_html_()


def reference_of(what: Run | Option | str) -> str:
    """Returns the reference that the program takes."""
    if isinstance(what, str):
        if not what or what.startswith("-"):
            raise UsageError("%r names no run or option" % what, "podtrack help references says what does")
        return what
    return what.id if isinstance(what, Run) else what.reference


def open_store(path: str | os.PathLike[str] | None = None, binary: str | os.PathLike[str] | None = None) -> Store:
    """Opens a store that exists: path, else PODTRACK_STORE, else podtrack.db in the current folder.
    binary is the program podtrack, else PODTRACK_BINARY, else the one on PATH."""
    named = os.fspath(path) if path is not None else os.environ.get("PODTRACK_STORE") or "podtrack.db"
    program = Binary(binary)
    program.version  # too old a program fails here
    if not os.path.exists(named):
        raise NoStoreError("open %s: there is no store" % named, "podtrack.run makes one", 10)
    return Store(os.path.abspath(named), program)


def store_of(store: Store | str | os.PathLike[str] | None, binary: str | os.PathLike[str] | None) -> Store:
    """Returns a store that may not exist yet."""
    if isinstance(store, Store):
        return store
    path = os.fspath(store) if store is not None else os.environ.get("PODTRACK_STORE") or "podtrack.db"
    return Store(os.path.abspath(path), Binary(binary))
