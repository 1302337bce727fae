"""What fails, as exceptions: one class for each exit code of the program."""

from __future__ import annotations

import os
from typing import Any

from .flags import in_python


class PodtrackError(Exception):
    """What failed, and how to mend it.

    Attributes
    ----------
    message
        What failed.
    remedy
        How to mend it; "" if podtrack knows none.
    code
        The exit code of the program; 0 if it was not called.
    """

    def __init__(self, message: str, remedy: str = "", code: int = 0) -> None:
        super().__init__(message + ("\n  " + remedy if remedy else ""))
        self.message, self.remedy, self.code = message, remedy, code


class BinaryError(PodtrackError):
    """The program podtrack cannot be found, started or understood."""


class DifferenceError(PodtrackError):
    """Exit code 1: a difference, a divergence or damage was found."""


class UsageError(PodtrackError, ValueError):
    """Exit code 2: wrong usage, or any other failure."""


class NotFoundError(UsageError, LookupError):
    """There is no such run, iteration or option."""


class NoStoreError(PodtrackError, FileNotFoundError):
    """Exit code 10: there is no store."""


class LockedError(PodtrackError):
    """Exit code 11: the store or the run is locked by another process."""


class NotAStoreError(PodtrackError):
    """Exit code 12: not a podtrack store, written by a newer podtrack, or damaged beyond opening."""


class UnverifiedError(PodtrackError):
    """Exit code 125: something cannot be verified here."""


class StorageError(PodtrackError, OSError):
    """The disk is full, or cannot be read or written."""


class EnvironmentFailed(UsageError):
    """An environment of this process raised an exception, which is the cause of this one."""


class StageFailed(UsageError):
    """A stage of this process raised an exception, which is the cause of this one."""


class InterruptedRun(PodtrackError, KeyboardInterrupt):
    """Exit code 130: interrupted; the state is saved."""


class PodtrackWarning(UserWarning):
    """What the program says beside its results, such as that the code has changed since the run was begun."""


BY_CODE: dict[int, type[PodtrackError]] = {
    1: DifferenceError,
    2: UsageError,
    10: NoStoreError,
    11: LockedError,
    12: NotAStoreError,
    125: UnverifiedError,
    130: InterruptedRun,
}
"""The class of each exit code of the program."""


DISK = ("no space left on device", "disk quota exceeded", "input/output error", "file too large",
        "read-only file system")
"""How messages end that are the system's, of a disk."""


def from_output(code: int, stderr: str) -> PodtrackError:
    """Returns the exception for an exit code and what was written to stderr: a line
    ``podtrack: what failed`` and, indented, the remedy."""
    lines = stderr.strip("\n").split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("podtrack: ")]
    kind = BY_CODE.get(code, PodtrackError)
    if code < 0:
        return kind("podtrack was ended by signal %d" % -code, "the same call continues from what was saved", code)
    if not starts:
        return kind(stderr.strip() or "podtrack ended with exit code %d" % code, "", code)
    message = in_python(lines[starts[-1]].removeprefix("podtrack: "))
    if kind is UsageError and message.lower().endswith(DISK):
        kind = StorageError
    remedy = in_python(" ".join(line.strip() for line in lines[starts[-1] + 1:] if line.startswith("  ")))
    return kind(message, remedy, code)


def given_text(name: str, value: Any) -> str:
    """Returns a text that was given, and refuses all else."""
    if not isinstance(value, str):
        raise UsageError("%s=%.40r is no text" % (name, value), "give a text")
    return value


def given_path(name: str, value: Any) -> str:
    """Returns a path that was given, and refuses all else."""
    if not isinstance(value, (str, os.PathLike)):
        raise UsageError("%s=%.40r is no path" % (name, value), "give a path, as a text or a pathlib.Path")
    return os.fspath(value)
