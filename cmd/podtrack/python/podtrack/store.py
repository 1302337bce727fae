"""A store, and what is asked of it."""

from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .binary import Binary, parse
from .documents import decode
from .driving import drive
from .errors import NoStoreError, NotFoundError, UnverifiedError, UsageError, from_output
from .figure import Figure
from .flags import flags_of
from .folder import Folder
from .option import Option
from .reports import Diff, Replay, Why
from .run import Run
from .runs import PLACES, Runs
from .services import Given

if TYPE_CHECKING:
    from .recording import Recording


class Store:
    """A store of podtrack. Nothing holds its file open: each question is a call of the program, which
    others may use beside this one."""

    def __init__(self, path: str, binary: Binary) -> None:
        self.path, self.binary = path, binary
        self.folder = Folder()

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

    def replay(self, run: Run | str, *flags: str, env: Any = None, **stages: Any) -> Replay:
        """Executes every stage of a run again, and compares the results bit for bit. env and stages are
        those of podtrack.run, of a run that has some of its own."""
        given = Given(env, **stages)
        arguments = ["replay", reference_of(run), "--json", *flags, *flags_of(given.flags), *self.flags]
        try:
            documents = [parse(line) for line in drive(self.binary, arguments, given.services, (0, 1)).splitlines()]
        except UnverifiedError as error:
            if given.services:
                raise
            raise UnverifiedError(error.message, "give what is not podtrack's own, as in replay(env=…)",
                                  error.code) from None
        document = next((d for d in documents if d.get("type") == "replay"), None)
        if document is None:
            raise UsageError("replay of %s found nothing to say" % reference_of(run))
        return decode(Replay, {**document, "json": document})

    def plot(self, kind: str, *references: str) -> Figure:
        """Draws a figure (podtrack plot --help lists the kinds) of runs or options, with more flags if
        they are given."""
        path = self.folder.new(".svg")
        arguments = ["plot", kind, *references, "--format", "svg", "-o", path, *self.flags]
        self.binary.run(arguments)
        with open(path, encoding="utf-8") as file:
            svg = file.read()
        os.remove(path)
        return Figure(svg, " ".join(["podtrack", "plot", kind, *references]))

    def close(self) -> None:
        """Removes the temporary files. Arrays that were read stay readable on Unix."""
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
