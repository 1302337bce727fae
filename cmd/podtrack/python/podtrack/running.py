"""Runs of podtrack, in environments of this process or of its own."""

from __future__ import annotations

import os
from typing import Any

from .binary import parse
from .driving import drive, warn
from .environment import hash_seed
from .flags import flags_of
from .runs import Runs
from .services import Given
from .store import Store, store_of

Env = Any
"""A name that podtrack knows (grid, gym:NAME, exec:CMD), an object with reset and step, a class or
function that makes one, or an :class:`Environment`."""

StageGiven = Any
"""A name that podtrack knows, a function, or what podtrack.method, select and learner make of one."""


def run(*, env: Env = None, method: StageGiven = None, select: StageGiven = None, learner: StageGiven = None,
        measure: StageGiven = None, iterations: int | None = None, store: Store | str | os.PathLike[str] | None = None,
        binary: str | os.PathLike[str] | None = None, progress: bool = False, changed_code: bool = False,
        check: bool = False, **spec: Any) -> Any:
    """Makes a run, or continues it: the same spec is the same run.

    Args:
        env: the environment; by default that of the paper.
        method, select, learner, measure: stages, such as ``method="laplacian"`` or a function.
        iterations: continue until there are so many; by default the paper's.
        store: by default PODTRACK_STORE, or podtrack.db in the current folder.
        binary: the program, by default PODTRACK_BINARY or podtrack on PATH.
        progress: whether to show on stderr how far it is.
        changed_code: continue although the code that a given version stands for has changed.
        check: take the first steps of the environment twice, in two processes if podtrack starts it, and warn if they
            differ.
        spec: other flags of ``podtrack run``, such as ``seed=3``, ``kappa=2`` or ``name="first"``.

    Returns:
        The :class:`Run`, or :class:`Runs` where ``seeds`` was given.
    """
    opened = store_of(store, binary)
    given = Given(env, method=method, select=select, learner=learner, measure=measure)
    flags = flags_of({**given.flags, "iterations": iterations, "changed_code": changed_code, "recheck": check, **spec})
    if given.serves_environment:
        flags.append("--parallel=1")
        if check and hash_seed() == "random":
            warn("check=True takes the steps twice in this process, and does not find what follows from the order of "
                 "sets: set PYTHONHASHSEED, such as to 0, before Python starts")
    output = drive(opened.binary, ["run", "--json", *flags, *opened.flags], given.services, progress=progress)
    ids = [each["run"] for each in map(parse, output.splitlines()) if each.get("type") == "run"]
    made = [opened[each] for each in ids]
    return Runs(opened, made) if "seeds" in spec else made[0]
