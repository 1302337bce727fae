"""The adapter of podtrack for environments in Python, which the program has too: its modules
podtrack_loop, podtrack_spaces, podtrack_make and podtrack_gym (replay/external in the repository)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from .errors import PodtrackError

NAMES = ("podtrack_loop", "podtrack_spaces", "podtrack_make", "podtrack_gym")


def folder() -> Path:
    """Returns where the modules are: in the package, or in the repository around it."""
    here = Path(__file__).resolve()
    for place in (here.parent / "adapter_files", here.parents[min(4, len(here.parents) - 1)] / "replay" / "external"):
        if (place / "podtrack_loop.py").exists():
            return place
    raise PodtrackError("the adapter for environments in Python is not there", "install the package again")


def module(name: str) -> Any:
    """Returns a module of the adapter."""
    for each in NAMES[:NAMES.index(name) + 1]:
        if each in sys.modules:
            continue
        spec = importlib.util.spec_from_file_location(each, folder() / (each + ".py"))
        assert spec is not None and spec.loader is not None
        sys.modules[each] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(sys.modules[each])
        except BaseException:
            del sys.modules[each]
            raise
    return sys.modules[name]
