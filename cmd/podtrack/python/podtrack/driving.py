"""Calls of podtrack that may take long, and that may need objects of this process."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from .binary import Binary
from .errors import BinaryError, EnvironmentFailed, InterruptedRun, from_output
from .serving import Server, Service


def drive(binary: Binary, arguments: Sequence[str], services: dict[str, Service] | None = None,
          allowed: Collection[int] = (0,), progress: bool = False) -> bytes:
    """Calls podtrack, answers the requests of its relays meanwhile, and returns what it wrote to
    stdout. The flags of the services are added behind the first argument.

    Ctrl-C has podtrack save its work, and raises :class:`InterruptedRun`; a second one ends it."""
    with Server(services or {}) as server:
        flags = ["--%s=%s" % (flag, server.command(role))
                 for role, service in (services or {}).items() for flag in service.flags]
        command = [binary.path, arguments[0], *flags, *arguments[1:]]
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            raise BinaryError("start %s: %s" % (binary.path, error.strerror), "check that it is a program") from error
        stdout, stderr = Reader(process.stdout), Reader(process.stderr, progress)
        threading.Thread(target=lambda: (process.wait(), server.end.send(b"1")), daemon=True).start()
        try:
            with interrupts(process):
                server.serve()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        output, errors = stdout.all(), stderr.all()
        if process.returncode in allowed:
            return output
        failed = from_output(process.returncode, errors.decode(errors="replace"))
        if isinstance(failed, InterruptedRun):
            failed = InterruptedRun(failed.message, AGAIN, failed.code)
        elif server.failure is not None:
            remedy = getattr(server.failure, "remedy", "") or "mend what its cause names; then " + AGAIN
            raise EnvironmentFailed(failed.message, remedy, failed.code) from server.failure
        elif services and CONTINUES in failed.remedy:
            # The command that it names has the relays of this call, which end with it.
            failed = type(failed)(failed.message, failed.remedy.partition(CONTINUES)[0] + "; then " + AGAIN, failed.code)
        raise failed


AGAIN = "the same call continues from what was saved"
CONTINUES = "; to continue from the saved state:"


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
            if self.shown and not line.startswith(b"podtrack: "):
                print(line.decode(errors="replace"), end="", file=sys.stderr)

    def all(self) -> bytes:
        """Returns all that was read."""
        self.thread.join()
        self.pipe.close()
        return b"".join(self.lines)
