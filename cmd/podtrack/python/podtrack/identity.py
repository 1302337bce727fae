"""What an environment is called, and which version of it this is, where nobody says so."""

from __future__ import annotations

import hashlib
import inspect
import sys
from typing import Any

from . import adapter
from .errors import UsageError


def layers(environment: Any) -> list[Any]:
    """Returns an environment and what it wraps, the outermost first."""
    found = [environment]
    while hasattr(found[-1], "env") and len(found) < 100:
        found.append(found[-1].env)
    return found


def name_of(environment: Any) -> str:
    """Returns the name of an environment: that of Gymnasium, or its class's."""
    spec = getattr(environment, "spec", None)
    return str(getattr(spec, "id", "") or getattr(environment, "name", "") or type(layers(environment)[-1]).__name__)


def source_version(environment: Any) -> str:
    """Returns the version that an environment has, or a digest of the source of those of its classes
    that are in no package with a version; "" if all are."""
    version = getattr(environment, "version", "")
    if isinstance(version, str) and version:
        return version
    sources = [source_of(type(layer)) for layer in layers(environment) if not is_versioned(type(layer))]
    return "source " + hashlib.sha256("".join(sources).encode()).hexdigest()[:12] if sources else ""


def is_versioned(kind: type[Any]) -> bool:
    """Reports whether a class is in a package whose version the adapter declares."""
    root = kind.__module__.split(".")[0]
    return root == "gymnasium" or root != "__main__" and bool(adapter.module("podtrack_make").version_of(root))


def source_of(kind: type[Any]) -> str:
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        raise UsageError("the version of %s is not known" % kind.__name__,
                         "give Environment(…, version=TEXT), and change it whenever it behaves differently") from None


def made_with(environment: Any) -> dict[str, Any]:
    """Returns the arguments of gymnasium.make with which an environment was made, as far as they are
    not those that it is registered with."""
    spec, gymnasium = getattr(environment, "spec", None), sys.modules.get("gymnasium")
    if spec is None or gymnasium is None:
        return {}
    registered = gymnasium.envs.registration.registry.get(getattr(spec, "id", ""))
    before = getattr(registered, "kwargs", {})
    given = {key: value for key, value in getattr(spec, "kwargs", {}).items()
             if key != "render_mode" and (key not in before or before[key] is not value and before[key] != value)}
    limit = getattr(spec, "max_episode_steps", None)
    if registered is not None and limit != registered.max_episode_steps:
        given["max_episode_steps"] = limit
    return given
