"""Temporary folders, which are removed even if the process that made them was killed: by the next one
that makes one."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
import tempfile

from .processes import finalize

try:
    import fcntl
except ImportError:  # on Windows, where what a killed process left stays
    fcntl = None  # type: ignore

PREFIX, LOCK = "podtrack-python-", "lock"

STARTED = os.getpid()
"""The process that imported this module."""


class Folder:
    """A temporary folder that is removed with the object, or at the end of the process; a process that was forked
    has one of its own. place is where it is, by default where temporary files are."""

    def __init__(self, place: str | None = None) -> None:
        self._place = place
        self._make()

    def _make(self) -> None:
        remove_abandoned(self._place or tempfile.gettempdir())
        self.path = tempfile.mkdtemp(prefix=PREFIX, dir=self._place)
        self._numbers, self._process = itertools.count(1), os.getpid()
        self.remove = finalize(self, _remove, self.path, lock(self.path))
        if os.getpid() != STARTED and "multiprocessing.util" in sys.modules:  # whose workers end without finalizers
            sys.modules["multiprocessing.util"].Finalize(self, self.remove, exitpriority=0)

    def new(self, ending: str) -> str:
        """Returns the path of a new file."""
        if not self.remove.alive or self._process != os.getpid():  # closed before, or forked
            self._make()
        return os.path.join(self.path, "%d%s" % (next(self._numbers), ending))


def _remove(path: str, locked: int) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if locked >= 0:
        os.close(locked)


def lock(path: str) -> int:
    """Locks a folder for as long as this process lives, and returns the open file that does so."""
    if fcntl is None:
        return -1
    begun = os.path.join(path, LOCK + ".new")
    file = os.open(begun, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.rename(begun, os.path.join(path, LOCK))
    return file


def remove_abandoned(place: str) -> None:
    """Removes the folders of this user there whose processes have ended without doing so."""
    if fcntl is None:
        return
    with os.scandir(place) as entries:
        found = [entry.path for entry in entries if entry.name.startswith(PREFIX)]
    for path in found:
        try:
            if os.lstat(path).st_uid != os.getuid():
                continue
            file = os.open(os.path.join(path, LOCK), os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)
        except OSError:  # its process lives
            pass
        finally:
            os.close(file)
