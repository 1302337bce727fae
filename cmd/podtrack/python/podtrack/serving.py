"""The server's side of podtrack's protocol, in the thread that calls podtrack."""

from __future__ import annotations

import collections
import os
import selectors
import shlex
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from .adapter import loop
from .adapter.interfaces import given
from .errors import EnvironmentFailed, PodtrackError, StageFailed
from .folder import Folder
from .identity import hold, release


LONGEST_SOCKET = 100
"""Bytes of a socket's path that every system takes."""

LONGEST_ROLE = 100
"""Bytes of the name of a service."""


class Service:
    """What answers the requests of programs that podtrack starts.

    Attributes
    ----------
    flags
        Those of podtrack that name the program, without ``--``.
    error
        The class of the error that podtrack ends with after an exception.
    failure
        The last exception.
    waits
        Whether it has received a request that it answers later.
    """

    flags: Sequence[str] = ()
    error: type[PodtrackError] = StageFailed
    failure: BaseException | None = None
    waits = False

    def open(self) -> None:
        """Prepares for a call of podtrack, of which :meth:`close` is the end."""

    def close(self) -> None:
        """Ends what :meth:`open` began."""

    def begin(self, send: Callable[[bytes], None]) -> Callable[[bytes], bytes]:
        """Returns a function that answers the requests of one program, a line each. It may send parts
        of an answer before it returns the last one, and return nothing for an answer that it sends later."""
        raise NotImplementedError

    def fail(self) -> None:
        """Keeps the exception that is being handled."""
        self.failure = sys.exc_info()[1]


class EnvironmentService(Service):
    """Serves one object, as adapter.loop serves it, to one program after another."""

    flags = ("env",)
    error = EnvironmentFailed

    def __init__(self, served: Any) -> None:
        self.served, self.last = served, 0
        self.held: Any = None

    def open(self) -> None:
        environment = given(self.served.environment)
        hold(environment)
        self.held = environment

    def close(self) -> None:
        held, self.held = self.held, None
        if held is not None:
            release(held)

    def begin(self, send: Callable[[bytes], None]) -> Callable[[bytes], bytes]:
        self.last += 1
        mine, pending = self.last, collections.deque[bytes]()

        def requests() -> Iterator[bytes]:
            while True:
                yield pending.popleft()

        answers = loop.answers(requests(), lambda: self.served, self.fail, send)

        def answer(line: bytes) -> bytes:
            if mine != self.last:
                raise PodtrackError("the environment is used by another run", "make runs one after another")
            pending.append(line)
            return bytes(next(answers))

        return answer


class Connection:
    """A program that podtrack started: the pipes that its relay handed over, and the connection that it waits on."""

    def __init__(self, channel: socket.socket, services: dict[str, Service]) -> None:
        role, pipes, _, _ = socket.recv_fds(channel, LONGEST_ROLE, 2)
        if len(pipes) < 2:
            raise ConnectionError("the relay ended")
        for pipe in pipes:
            os.set_inheritable(pipe, False)
        self.channel, (self.requests, self.answers) = channel, pipes
        self.answer = services[role.decode()].begin(self._send)
        self.begun: list[bytes] = []  # of a line

    def receive(self) -> bool:
        """Answers what has arrived. It returns False if podtrack has closed the pipe."""
        data = os.read(self.requests, 1 << 20)
        *lines, rest = data.split(b"\n")
        for line in lines:
            self.begun.append(line)
            whole, self.begun = b"".join(self.begun), []
            self._send(self.answer(whole))
        if rest:
            self.begun.append(rest)
        return bool(data)

    def _send(self, answer: bytes) -> None:
        try:
            while answer:
                answer = answer[os.write(self.answers, answer):]
        except OSError:  # podtrack has ended the program
            pass

    def close(self) -> None:
        """Closes the pipes, and lets the relay end."""
        with suppress(OSError):  # podtrack has ended it
            self.channel.send(b"1")
        os.close(self.requests)
        os.close(self.answers)
        self.channel.close()


class Server:
    """Listens on a socket that only this user can reach, and answers in the thread that calls
    :meth:`serve`."""

    def __init__(self, services: dict[str, Service]) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise PodtrackError("Python objects cannot be served on this system",
                                "write the environment as a program (podtrack help environments)")
        self.services = services
        self.folder = Folder()  # which only this user can read
        self.path = self.folder.new(".socket")
        if len(os.fsencode(self.path)) > LONGEST_SOCKET:
            self.folder.remove()
            self.folder = Folder("/tmp")
            self.path = self.folder.new(".socket")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        self.ended, self.end = socket.socketpair()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.selector.register(self.ended, selectors.EVENT_READ)

    def command(self, role: str) -> str:
        """Returns the command by which podtrack reaches a service."""
        python = sys.executable or shutil.which("python3") or "python3"
        relay = os.path.join(os.path.dirname(os.path.abspath(__file__)), "relay.py")
        return "exec:" + " ".join(map(shlex.quote, [python, "-I", "-S", relay, self.path, role]))

    def serve(self) -> bool:
        """Answers requests until something is written to ``end``, or a service keeps its program waiting:
        returns whether one does."""
        while not any(service.waits for service in self.services.values()):
            for key, _ in self.selector.select():
                if key.fileobj is self.ended:
                    return False
                if key.fileobj is self.listener:
                    self._accept()
                elif not key.data.receive():
                    self.selector.unregister(key.fileobj)
                    key.data.close()
        return True

    def _accept(self) -> None:
        channel, _ = self.listener.accept()
        try:
            connection = Connection(channel, self.services)
        except OSError:  # podtrack has ended the relay
            channel.close()
        else:
            self.selector.register(connection.requests, selectors.EVENT_READ, connection)

    def close(self) -> None:
        """Closes all connections."""
        for key in list((self.selector.get_map() or {}).values()):  # which is None once it is closed
            if isinstance(key.data, Connection):
                key.data.close()
        self.selector.close()
        for each in (self.listener, self.ended, self.end):
            each.close()
        self.folder.remove()
