"""Runs of podtrack, in environments of this process or of its own."""

from __future__ import annotations

import inspect
import os
from typing import Any, Unpack, overload

from .driving import drive, warn
from .environment import hash_seed
from .flags import flags_of
from .keywords import Env, Kept, Seeds, Stages, check_keywords
from .run import Run
from .runs import Runs
from .services import MAKERS, Given
from .store import Store, store_of


class Arguments(Kept, Stages, total=False):
    """The keywords of :func:`podtrack.run`, which describes them."""

    env: Env | None
    iterations: int | None
    name: str | None
    store: Store | str | os.PathLike[str] | None
    binary: str | os.PathLike[str] | None
    progress: bool
    check: bool
    changed_code: bool
    parallel: int | None
    spec: str | os.PathLike[str] | None
    study: str | None
    setting: str | None
    variant: str | None
    expect: str | None
    until_end: bool
    timeout: str | None


OWN = ("env", "store", "binary", "progress", "check", *MAKERS)
"""The keywords of run that are no flags of podtrack, or not only."""


@overload
def run(*, seeds: Seeds, **given: Unpack[Arguments]) -> Runs: ...


@overload
def run(**given: Unpack[Arguments]) -> Run: ...


def run(**given: Any) -> Any:
    """Makes a run, or continues it: the same spec is the same run.

    Parameters
    ----------
    env
        The environment: a name that podtrack knows, an object with ``reset`` and ``step``, a class or function that
        makes one, or an :class:`Environment`. By default that of the paper.
    method, select, learner, measure
        Stages, such as ``method="laplacian"`` or a function.
    iterations
        Continue until there are so many; by default the paper's.
    seeds
        Make a run for each: ``range(10)``, or a text such as ``"0-9"``.
    name
        The name of the run; of several runs with fields in braces, as in ``"k{kappa}-s{seed}"``.
    store
        A :class:`Store` or a path; by default PODTRACK_STORE, or podtrack.db in the current folder.
    binary
        The program; by default PODTRACK_BINARY, that of the package, or podtrack on PATH.
    progress
        Show on stderr how far it is.
    check
        Take the first steps of the environment twice, in two processes if podtrack starts it, and warn if they differ.
    changed_code
        Continue although the code that a given version stands for has changed.
    parallel, spec, study, setting, variant, keep, last, expect, until_end, timeout
        As the flags of ``podtrack run``.
    **fields
        Fields of the spec, such as ``seed=3`` or ``kappa=2``: see :class:`Fields`.

    Returns
    -------
    Run or Runs
        :class:`Runs` where ``seeds`` is given.

    Warns
    -----
    PodtrackWarning
        What is found in the run (:attr:`Run.findings`), and what else podtrack notes.
    """
    check_keywords(given, Arguments, ["seeds"])
    opened = store_of(given.get("store"), given.get("binary"))
    served = Given(given.get("env"), **{name: given.get(name) for name in MAKERS})
    check = given.get("check", False)
    flags = flags_of({**served.flags, "recheck": check, **{k: v for k, v in given.items() if k not in OWN}})
    if served.serves_environment:
        flags.append("--parallel=1")
        if check and hash_seed() == "random":
            warn("check=True takes the steps twice in this process, and does not find what follows from the order of "
                 "sets: set PYTHONHASHSEED, such as to 0, before Python starts")
    output = drive(opened.binary, ["run", "--json", *flags, *opened.flags], served.services,
                   progress=given.get("progress", False))
    made = [opened[each] for each in opened.made(output)]
    return Runs(opened, made) if given.get("seeds") is not None else made[0]


run.__signature__ = inspect.Signature([  # type: ignore[attr-defined]  # what help shows, and notebooks complete
    inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
    for name in ("seeds", *Arguments.__annotations__)])
