"""The program podtrack: where it is, and how it is called."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from .errors import BinaryError, from_output
from .processes import start

FORMAT = 12
"""The store format of the program that this package was tested with."""


class Binary:
    """The program podtrack, found by an argument, by PODTRACK_BINARY, with the package, or on PATH.

    Attributes
    ----------
    path
        The path of the program.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = find(path)
        self._version: dict[str, Any] | None = None

    @property
    def version(self) -> dict[str, Any]:
        """What ``podtrack --version --json`` prints: version, format, numerics and more."""
        if self._version is None:
            version = self.json(["--version", "--json"])
            if not isinstance(version, dict) or "format" not in version:
                raise BinaryError("%s is another program" % self.path, "name podtrack in PODTRACK_BINARY")
            if version["format"] < FORMAT:
                raise BinaryError(
                    "%s is too old: it writes stores of format %d" % (self.path, version["format"]),
                    "install the podtrack that this package came with",
                )
            self._version = version
        return self._version

    def run(self, arguments: Sequence[str], allowed: Collection[int] = (0,)) -> bytes:
        """Calls the program, and returns what it writes to stdout. Another exit code than those
        allowed is an exception."""
        done = self.call(arguments)
        if done.returncode not in allowed:
            raise from_output(done.returncode, done.stderr.decode(errors="replace"))
        return done.stdout

    def call(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
        """Calls the program, whatever it exits with."""
        try:
            process = start([self.path, *arguments])
        except OSError as error:
            raise BinaryError("start %s: %s" % (self.path, error.strerror), "check that it is a program") from error
        with process:
            try:
                output, errors = process.communicate()
            except BaseException:  # such as KeyboardInterrupt
                process.kill()
                raise
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def json(self, arguments: Sequence[str], allowed: Collection[int] = (0,)) -> Any:
        """Calls the program, and returns the document that it prints."""
        return parse(self.run(arguments, allowed))

    def lines(self, arguments: Sequence[str], allowed: Collection[int] = (0,)) -> list[Any]:
        """Calls the program, and returns the documents that it prints, one a line."""
        return [parse(line) for line in self.run(arguments, allowed).splitlines() if line]


def parse(text: bytes) -> Any:
    """Returns a document that the program printed."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise BinaryError("podtrack printed no JSON: %s" % error, "name podtrack in PODTRACK_BINARY") from error


def find(path: str | os.PathLike[str] | None) -> str:
    """Returns the path of the program: that which is given, that of PODTRACK_BINARY, that which was installed with
    the package, or the one on PATH."""
    named = os.fspath(path) if path is not None else os.environ.get("PODTRACK_BINARY") or installed() or "podtrack"
    found = shutil.which(named)
    if found is None:
        raise BinaryError(
            "there is no program %s" % named,
            "install a wheel of podtrack, or go install ./cmd/podtrack and name the program in PODTRACK_BINARY",
        )
    return found if os.path.dirname(found) else os.path.abspath(found)


def installed() -> str | None:
    """Returns the path of the program that was installed with the package, None if it was not installed."""
    package = Path(__file__).resolve().parents[1]
    editable = [Path(folder) for folder in sys.path if leads_to(package, Path(folder, "podtrack.pth"))]
    for record in (path for site in (package, *editable) for path in site.glob("podtrack-*.dist-info/RECORD")):
        site = record.parents[1]
        for line in record.read_text(encoding="utf-8").splitlines():
            path = site / line.partition(",")[0]
            if path.name in ("podtrack", "podtrack.exe"):
                # pip install --target moves the program, and leaves its path in RECORD as it was.
                return next((os.path.abspath(p) for p in (path, site / "bin" / path.name) if p.is_file()), None)
    return None


def leads_to(package: Path, link: Path) -> bool:
    """Reports whether a file, which pip install -e writes, has the path of the package."""
    try:
        return link.read_text(encoding="utf-8").strip() == str(package)
    except (OSError, ValueError):
        return False
