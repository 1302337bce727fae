"""Calls of podtrack that may take long, and that may need objects of this process."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO

from .binary import Binary
from .errors import BinaryError, InterruptedRun, PodtrackError, PodtrackWarning, from_output
from .flags import in_python
from .processes import start
from .serving import Server, Service


class Call:
    """A call of podtrack that may take long, and that may be left and continued while a service keeps it waiting. The
    flags of the services are added behind the first argument."""

    def __init__(self, binary: Binary, arguments: Sequence[str], services: dict[str, Service] | None = None,
                 progress: bool = False) -> None:
        self.services = services or {}
        try:
            for service in self.services.values():
                service.open()
            self.server = Server(self.services)
        except BaseException:
            self.close_services()
            raise
        flags = ["--%s=%s" % (flag, self.server.command(role))
                 for role, service in self.services.items() for flag in service.flags]
        try:
            self.process = start([binary.path, arguments[0], *flags, *arguments[1:]], start_new_session=True)
        except OSError as error:
            self.end()
            raise BinaryError("start %s: %s" % (binary.path, error.strerror), "check that it is a program") from error
        self.stdout, self.stderr = Reader(self.process.stdout), Reader(self.process.stderr, progress)
        threading.Thread(target=notify, args=(self.process, self.server.end), daemon=True).start()

    def serve(self) -> bool:
        """Answers requests until podtrack has ended, or a service keeps it waiting: returns whether it
        waits. Ctrl-C has podtrack save its work; a second one ends it."""
        waits = False
        try:
            with interrupts(self.process):
                waits = self.server.serve()
        finally:
            if not waits:
                self.close()
        return waits

    def close(self) -> None:
        """Ends podtrack if it has not ended, as Ctrl-C does: it saves its work."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(MOST_SECONDS)
            self.process.kill()
        self.process.wait()
        self.end()

    def end(self) -> None:
        """Ends what serves podtrack."""
        self.server.close()
        self.close_services()

    def close_services(self) -> None:
        """Ends what they prepared for the call."""
        for service in self.services.values():
            service.close()

    def output(self, allowed: Collection[int] = (0,)) -> bytes:
        """Returns what podtrack wrote to stdout, once it has ended. Another exit code than those allowed is
        an exception."""
        output, errors = self.stdout.all(), self.stderr.all()
        for line in errors.decode(errors="replace").splitlines():
            if line.startswith(NOTE):
                warn(in_python(line.removeprefix(NOTE)))
        if self.process.returncode in allowed:
            return output
        failed = from_output(self.process.returncode, errors.decode(errors="replace"))
        cause = next((service for service in self.services.values() if service.failure is not None), None)
        if cause is not None and not isinstance(failed, InterruptedRun):
            remedy = getattr(cause.failure, "remedy", "") or "mend what its cause names; then " + AGAIN
            raise cause.error(failed.message, remedy, failed.code) from cause.failure
        raise type(failed)(failed.message, self._remedy(failed), failed.code)

    def _remedy(self, failed: PodtrackError) -> str:
        """Returns the remedy in the words of who called this package."""
        if isinstance(failed, InterruptedRun) and SAVED in failed.message:
            return AGAIN
        remedy = failed.remedy
        if "env" in self.services:
            remedy = remedy.replace("podtrack run check", "podtrack.run(check=True)")
            remedy = remedy.replace("the command with which", "the environment with which")
        if self.services and CONTINUES in remedy:
            # The command that it names has the relays of this call, which end with it.
            return remedy.partition(CONTINUES)[0] + "; then " + AGAIN
        return remedy


def notify(process: subprocess.Popen[bytes], end: socket.socket) -> None:
    """Tells the server that a process has ended."""
    process.wait()
    with suppress(OSError):  # the server was closed before
        end.send(b"1")


def drive(binary: Binary, arguments: Sequence[str], services: dict[str, Service] | None = None,
          allowed: Collection[int] = (0,), progress: bool = False) -> bytes:
    """Calls podtrack, answers the requests of its relays meanwhile, and returns what it wrote to
    stdout.

    Ctrl-C has podtrack save its work, and raises :class:`InterruptedRun`; a second one ends it."""
    call = Call(binary, arguments, services, progress)
    call.serve()
    return call.output(allowed)


MOST_SECONDS = 3
"""That podtrack has to save its work."""

AGAIN = "the same call continues from what was saved"
CONTINUES = "; to continue from the saved state:"
SAVED = ", state saved"
NOTE = "note: "
"""With which lines on stderr begin that are notes. Others are progress, or what programs print."""


def warn(text: str) -> None:
    """Shows a warning at the line that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, PodtrackWarning, stacklevel=level)


@contextmanager
def interrupts(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Passes a first SIGINT on to podtrack, which then saves its work, and raises KeyboardInterrupt at
    the second. In other threads than the main one, signals are not handled."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    passed: list[int] = []

    def handle(number: int, frame: object) -> None:
        if passed:
            raise KeyboardInterrupt
        passed.append(number)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.default_int_handler)


class Reader:
    """Reads a pipe to its end in a thread of its own."""

    def __init__(self, pipe: IO[bytes] | None, shown: bool = False) -> None:
        assert pipe is not None
        self.pipe, self.shown, self.lines = pipe, shown, list[bytes]()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        for line in self.pipe:
            self.lines.append(line)
            if self.shown and not line.startswith((b"podtrack: ", NOTE.encode())):
                print(line.decode(errors="replace"), end="", file=sys.stderr)

    def all(self) -> bytes:
        """Returns all that was read."""
        self.thread.join()
        self.pipe.close()
        return b"".join(self.lines)
