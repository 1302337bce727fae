"""The file of a store, and what the program answers of what it names."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol, Unpack

from .binary import Binary, parse
from .documents import decode
from .driving import drive, warn
from .errors import UnverifiedError, UsageError, given_text
from .figure import Figure
from .flags import flags_of
from .folder import Folder
from .keywords import Env, Stages
from .reports import Diff, Replay, Why, finding_of
from .services import Given


class Referable(Protocol):
    """A run or an option."""

    @property
    def reference(self) -> str: ...


class StoreFile:
    """The file of a store. Nothing holds it open: each question is a call of the program, which others may use beside
    this one."""

    def __init__(self, path: str, binary: Binary) -> None:
        self.path, self.binary = path, binary
        self.folder = Folder()

    @property
    def flags(self) -> list[str]:
        """The flags that name the store."""
        return ["--store", self.path]

    def made(self, output: bytes) -> list[str]:
        """Returns the IDs of the runs that a call has made or continued, and warns of what was found in them."""
        runs = [document for document in map(parse, output.splitlines()) if document.get("type") == "run"]
        for run in runs:
            for each in run.get("findings", []):
                warn("run %s, %s" % (run["name"] or run["short"], finding_of(each)))
        return [run["run"] for run in runs]

    def why(self, option: Referable | str, *flags: str) -> Why:
        """Explains where an option comes from: its eigenpurpose, the data behind that, the options that
        led there."""
        document = self.binary.json(["why", reference_of(option), "--json", *flags, *self.flags])
        return decode(Why, {**document, "json": document})

    def diff(self, a: Referable | str, b: Referable | str, *flags: str) -> Diff:
        """Compares two runs, iterations or options: their specs, records, and what they mean."""
        arguments = ["diff", reference_of(a), reference_of(b), "--json", "--exit-zero", *flags, *self.flags]
        document = self.binary.json(arguments)
        return decode(Diff, {**document, "json": document})

    def replay(self, run: Referable | str, *flags: str, env: Env | None = None, **stages: Unpack[Stages]) -> Replay:
        """Executes every stage of a run again, and compares the results bit for bit. env and stages are
        those of podtrack.run, of a run that has some of its own; flags are more of ``podtrack replay``."""
        given = Given(env, **stages)
        arguments = ["replay", reference_of(run), "--json", *flags, *flags_of(given.flags), *self.flags]
        try:
            documents = [parse(line) for line in drive(self.binary, arguments, given.services, (0, 1)).splitlines()]
        except UnverifiedError as error:
            shown = self.binary.json(["show", reference_of(run), "--json", *self.flags])
            needs = [each.get("needs", "") for each in shown.get("levels", [])]
            raise UnverifiedError(error.message, replayed_with(needs, given.names), error.code) from None
        document = next((d for d in documents if d.get("type") == "replay"), None)
        if document is None:
            raise UsageError("replay of %s found nothing to say" % reference_of(run))
        return decode(Replay, {**document, "json": document})

    def plot(self, kind: str, *references: str) -> Figure:
        """Draws a figure (podtrack plot --help lists the kinds) of runs or options, with more flags if
        they are given."""
        return Figure(self.binary, self.folder, [given_text("plot", each) for each in (kind, *references)], self.flags)


def reference_of(what: Referable | str) -> str:
    """Returns the reference that the program takes."""
    if isinstance(what, str):
        if not what or what.startswith("-"):
            raise UsageError("%r names no run or option" % what, "podtrack help references says what does")
        return what
    if not hasattr(what, "reference"):
        raise UsageError("%.40r names no run or option" % (what,), "give one, or a text such as the run's name")
    return what.reference


def replayed_with(needed: Iterable[str], given: Collection[str]) -> str:
    """Returns what to give to replay beside that which is given: the environment and stages of one's own."""
    needs = [need for need in dict.fromkeys(needed) if need and need not in given]
    if "collect" in needs:
        return "only the algorithm that was recorded can compute it; run.levels says what is proved without it"
    if not needs:
        return "run.levels says what is proved of each stage"
    return "give what is not podtrack's own: replay(%s)" % ", ".join("%s=…" % name for name in needs)
