"""Processes of the program, which end with this one, and what a process holds, which its forks do not."""

from __future__ import annotations

import os
import subprocess
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .errors import UsageError

LIFELINE = "PODTRACK_LIFELINE"
"""The variable that tells podtrack that its standard input is a pipe, which ends with the process that called it."""

ENDS: set[int] = set()
"""This process's ends of these pipes."""


def start(arguments: Sequence[str], start_new_session: bool = False) -> subprocess.Popen[bytes]:
    """Starts podtrack, which ends when this process does, however it does."""
    for each in arguments:
        check(each)
    read, write = os.pipe()
    ENDS.add(write)
    try:
        process = subprocess.Popen(arguments, stdin=read, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, LIFELINE: "stdin"}, start_new_session=start_new_session)
    except BaseException:
        let_go(write)
        raise
    finally:
        os.close(read)
    finalize(process, let_go, write)
    return process


MOST_BYTES = 100_000
"""Of an argument of a program: Linux takes 131,071."""


def check(argument: str) -> None:
    """Refuses what cannot be an argument of a program."""
    name, is_flag, value = argument.removeprefix("--").partition("=")
    what = "%s=%.40r" % (name, value) if is_flag and argument.startswith("--") else "%.40r" % argument
    try:
        size = len(os.fsencode(argument))
    except UnicodeEncodeError:
        raise UsageError("%s is no text: it has half of a surrogate pair" % what, "give valid Unicode") from None
    if "\0" in argument:
        raise UsageError("%s has a NUL character" % what, "leave it out")
    if size > MOST_BYTES:
        raise UsageError("%s… has %d bytes, of at most %d" % (what, size, MOST_BYTES), "give less at a time")


def argument_of(text: str) -> str:
    """Returns a text with escapes for what cannot be in an argument of a program."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\0")


def let_go(end: int) -> None:
    """Closes this process's end of a pipe."""
    ENDS.discard(end)
    os.close(end)


def close_in_fork() -> None:
    """Closes what a fork inherits, so that the pipes end with the process that made them."""
    while ENDS:
        os.close(ENDS.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=close_in_fork)


def finalize(owner: Any, function: Callable[..., None], *arguments: Any) -> Any:
    """Has a function called once owner is gone, by this process and by none that it forks: a weakref.finalize."""
    return weakref.finalize(owner, call_in, os.getpid(), function, *arguments)


def call_in(process: int, function: Callable[..., None], *arguments: Any) -> None:
    if os.getpid() == process:
        function(*arguments)
