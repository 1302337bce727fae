"""Runs of podtrack, in environments of this process or of its own."""

from __future__ import annotations

import os
from typing import Any

from .binary import Binary, parse
from .driving import drive
from .errors import UsageError
from .run import Run
from .runs import Runs
from .services import Given
from .store import Store

Env = Any
"""A name that podtrack knows (grid, gym:NAME, exec:CMD), an object with reset and step, a class or
function that makes one, or an :class:`Environment`."""

StageGiven = Any
"""A name that podtrack knows, a function, or what podtrack.method, select and learner make of one."""


def run(*, env: Env = None, method: StageGiven = None, select: StageGiven = None, learner: StageGiven = None,
        measure: StageGiven = None, iterations: int | None = None, store: Store | str | os.PathLike[str] | None = None,
        binary: str | os.PathLike[str] | None = None, progress: bool = False, changed_code: bool = False,
        **spec: Any) -> Any:
    """Makes a run, or continues it: the same spec is the same run.

    Args:
        env: the environment; by default that of the paper.
        method, select, learner, measure: stages, such as ``method="laplacian"`` or a function.
        iterations: continue until there are so many; by default the paper's.
        store: by default PODTRACK_STORE, or podtrack.db in the current folder.
        binary: the program, by default PODTRACK_BINARY or podtrack on PATH.
        progress: whether to show on stderr how far it is.
        changed_code: continue although the code that a given version stands for has changed.
        spec: other flags of ``podtrack run``, such as ``seed=3``, ``kappa=2`` or ``name="first"``.

    Returns:
        The :class:`Run`, or :class:`Runs` where ``seeds`` was given.
    """
    opened = store_of(store, binary)
    given = Given(env, method=method, select=select, learner=learner, measure=measure)
    flags = flags_of({**given.flags, "iterations": iterations, "changed_code": changed_code, **spec})
    if given.serves_environment:
        flags.append("--parallel=1")
    output = drive(opened.binary, ["run", "--json", *flags, *opened.flags], given.services, progress=progress)
    ids = [each["run"] for each in map(parse, output.splitlines()) if each.get("type") == "run"]
    made = [opened[each] for each in ids]
    return Runs(opened, made) if "seeds" in spec else made[0]


def store_of(store: Store | str | os.PathLike[str] | None, binary: str | os.PathLike[str] | None) -> Store:
    """Returns a store that may not exist yet."""
    if isinstance(store, Store):
        return store
    path = os.fspath(store) if store is not None else os.environ.get("PODTRACK_STORE") or "podtrack.db"
    return Store(os.path.abspath(path), Binary(binary))


def flags_of(values: dict[str, Any]) -> list[str]:
    """Returns flags of podtrack: None is left out, True has no value, lists are joined by commas."""
    flags = []
    for name, value in values.items():
        if name in ("json", "store"):
            raise UsageError("%s is given by the package" % name, "leave it out")
        if value is None or value is False:
            continue
        if isinstance(value, (list, tuple, range)):
            value = ",".join(map(str, value))
        option = "--" + (name if name in UNDERSCORED else name.replace("_", "-"))
        flags.append(option if value is True else "%s=%s" % (option, value))
    return flags


UNDERSCORED = ("max_option_steps", "state_set", "psi_gamma", "psi_passes", "psi_part", "feature_scale", "option_probability",
               "leave_out")
"""Fields of a spec, whose flags are spelled as they are."""


def continue_run(run: Run, given: Given, iterations: int | None, progress: bool, changed_code: bool) -> Run:
    """Continues a run until there are so many iterations."""
    flags = flags_of({**given.flags, "iterations": iterations, "changed_code": changed_code})
    drive(run.store.binary, ["resume", run.id, "--json", *flags, *run.store.flags], given.services, progress=progress)
    return run.refresh()


def fork_run(run: Run, k: int, given: Given, name: str | None, iterations: int | None, changed_code: bool,
             changes: dict[str, Any]) -> Run:
    """Makes a run that shares another's iterations before k."""
    flags = flags_of({**given.flags, "name": name, "iterations": iterations, "changed_code": changed_code})
    changed = ["--set=%s=%s" % (key, value) for key, value in changes.items()]
    arguments = ["fork", "%s:%d" % (run.id, k), "--json", *flags, *changed, *run.store.flags]
    made = [parse(line) for line in drive(run.store.binary, arguments, given.services).splitlines()]
    return run.store[next(each["run"] for each in made if each.get("type") == "run")]
