"""Dataclasses from the JSON documents that podtrack prints (podtrack help json)."""

from __future__ import annotations

import dataclasses
import functools
import typing
from types import NoneType, UnionType
from typing import Any, TypeVar

from .errors import BinaryError

T = TypeVar("T")


def decode(kind: type[T], value: Any) -> T:
    """Returns a value of a type from JSON. Members that a dataclass does not have are left out, since
    later versions add some; those that it has may be absent if they have a default."""
    return typing.cast(T, _decode(kind, value, kind.__name__))


def _decode(kind: Any, value: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return value
    if origin in (typing.Union, UnionType):
        if value is None and NoneType in arguments:
            return None
        return _decode(next(a for a in arguments if a is not NoneType), value, where)
    if dataclasses.is_dataclass(kind):
        return _decode_object(typing.cast(type[Any], kind), value, where)
    if origin is list and (value is None or isinstance(value, list)):
        return [_decode(arguments[0], each, where) for each in value or ()]
    if origin is dict and isinstance(value, dict):
        return {key: _decode(arguments[1], each, "%s.%s" % (where, key)) for key, each in value.items()}
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(kind, type) and isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise BinaryError("%s is %r, which is no %s" % (where, value, kind), "use the podtrack of this package's version")


def _decode_object(kind: type[Any], value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise BinaryError("%s is %r, which is no object" % (where, value), "use the podtrack of this package's version")
    members = {}
    for name, (key, member, required) in _members(typing.cast(typing.Hashable, kind)).items():
        if key in value:
            members[name] = _decode(member, value[key], "%s.%s" % (where, key))
        elif required:
            raise BinaryError("%s has no %s" % (where, key), "use the podtrack of this package's version")
    return kind(**members)


@functools.lru_cache(maxsize=None)
def _members(kind: Any) -> dict[str, tuple[str, Any, bool]]:
    """Returns the fields of a dataclass: the name in JSON, the type, whether it must be there."""
    hints = typing.get_type_hints(kind)
    return {
        field.name: (
            field.metadata.get("json", field.name),
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(kind)
        if field.init
    }
