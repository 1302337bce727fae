"""Flags of the program, from arguments of Python, and the other way round."""

from __future__ import annotations

import re
import typing
from typing import Any

from . import fields
from .fields import Fields


def flags_of(values: dict[str, Any]) -> list[str]:
    """Returns flags of podtrack: None is left out, True has no value but as a field of the spec, which is 1, and lists
    are joined by commas."""
    flags = []
    for name, value in values.items():
        is_field = name in Fields.__annotations__
        if is_field and isinstance(value, bool):
            value = int(value)
        if value is None or value is False:
            continue
        if isinstance(value, range) and value.step == 1 and len(value):
            value = "%d-%d" % (value[0], value[-1])
        elif isinstance(value, (list, tuple, range)):
            value = ",".join(map(str, value))
        option = "--set=" + name if is_field else "--" + name.replace("_", "-")
        flags.append(option if value is True else "%s=%s" % (option, value))
    return flags


def words_of(kind: Any) -> list[str]:
    """Returns the words of a type that has Literals."""
    return [kind] if isinstance(kind, str) else [word for each in typing.get_args(kind) for word in words_of(each)]


WORDS = sorted({word for kind in (fields.Method, fields.Learner, *typing.get_type_hints(Fields).values())
                for word in words_of(kind)}, key=len, reverse=True)

FLAG = re.compile(r"--([a-z]\w*(?:-\w+)*)(?: (?:([0-9][\w.]*|[A-Z]+\b)|(\w+=\w+|(?:%s)\b)))?" % "|".join(WORDS))

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')

FORK = re.compile(r"podtrack fork \w+:(\d+)(?: --changed-code(?: --iterations (\d+) --env .*)?| (--set seed=N))")

SAID: dict[str, str] = {
    "--allow-exec": "allow_exec=True",
    "--changed-code": "changed_code=True",
    "--recheck takes its first steps again in a second process": "check=True takes its first steps again",
    "rerun the command": "make the same call",
    "the argument of sweep is a TOML file; flags say the same without one": "podtrack help studies has one",
    "add --env exec:CMD or --env gym:NAME, as for podtrack run": "give env=…, as in podtrack.run",
}


def in_python(text: str) -> str:
    """Returns what podtrack says of its flags in the words of who calls this package: keywords. Commands for a shell
    stay as they are."""
    quoted: list[str] = []  # what users named or programs said, which stays as it is

    def keep(match: re.Match[str]) -> str:
        quoted.append(match[0])
        return "\0%d\0" % (len(quoted) - 1)

    text = FORK.sub(lambda fork: "run.fork(%s, env=…, %s)" % (fork[1], "changed_code=True" + (
        ", iterations=" + fork[2] if fork[2] else "") if fork[3] is None else "seed=N"), QUOTED.sub(keep, text))
    for said, meant in SAID.items():
        text = text.replace(said, meant)
    text = re.sub(r"--set (\w+)=", r"--\1 ", text)
    text = re.sub(r"add --(\w+) exec:CMD, the program that", r"give \1=…, the stage that", text)

    def keyword(match: re.Match[str]) -> str:
        name, number, word = match[1].replace("-", "_"), match[2], match[3]
        return "%s=%s" % (name, number) if number else '%s="%s"' % (name, word) if word else name

    clauses = re.split(r"(; |, or )", text)
    text = "".join(clause if re.search(r"podtrack [a-z]", clause) else FLAG.sub(keyword, clause) for clause in clauses)
    return re.sub("\0([0-9]+)\0", lambda match: quoted[int(match[1])], text)
