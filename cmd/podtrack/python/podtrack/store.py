"""A store, and the calls that open one, record into it and make its studies."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Unpack

from .binary import Binary
from .driving import drive
from .environment import Described, Environment, form_of
from .errors import NoStoreError, UsageError, given_path, given_text
from .fields import Learner, Method
from .flags import flags_of
from .identity import as_declared
from .keywords import Env, Kept, check_keywords
from .page import Page
from .processes import check as check_argument
from .recording import Recording
from .run import Run
from .runs import Runs, find_runs
from .services import Given
from .storefile import StoreFile
from .study import Study


class Store(StoreFile):
    """A store of podtrack. Nothing holds its file open: each question is a call of the program, which
    others may use beside this one."""

    def __init__(self, path: str, binary: Binary) -> None:
        super().__init__(path, binary)
        self._pages: list[Page] = []

    def runs(self, *filters: str) -> Runs:
        """Returns the runs that filters such as ``"seed=0-9"`` find (podtrack help filters), in
        the order of their seeds; without one all runs. A filter that no run matches finds none."""
        return find_runs(self, *filters)

    def __getitem__(self, reference: str) -> Run:
        """Returns a run by its name, the beginning of its ID, or @N for the N-th newest."""
        if not isinstance(reference, str):
            raise TypeError("store[%r]: a run has a name; store.runs() lists all" % (reference,))
        return Run.find(self, reference)

    def record(self, name: str, **given: Any) -> Recording:
        """Records an algorithm of your own as a run of this store: :func:`podtrack.record`."""
        return record(name, store=self, **given)

    def study(self, which: str | os.PathLike[str], **given: Any) -> Study:
        """Makes a study of a file, or reads the one of a name: :func:`podtrack.study`."""
        return study(which, store=self, **given)

    def serve(self) -> Page:
        """Serves the page on which a browser shows the store, as ``podtrack serve`` does, from another process. It
        ends with the page's ``close`` or ``with`` block, or with this object."""
        self._pages.append(Page(self.binary, self.path))
        return self._pages[-1]

    def close(self) -> None:
        """Ends its pages, and removes the temporary files. Arrays that were read stay readable on Unix."""
        for page in self._pages:
            page.close()
        self._pages.clear()
        self.folder.remove()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<Store %s>" % self.path

    def _repr_html_(self) -> str:
        return self.runs()._repr_html_()


def open_store(path: str | os.PathLike[str] | None = None, binary: str | os.PathLike[str] | None = None) -> Store:
    """Opens a store that exists: path, else PODTRACK_STORE, else podtrack.db in the current folder.
    binary is the program podtrack, else PODTRACK_BINARY, else the one on PATH."""
    named = given_path("path", path) if path is not None else os.environ.get("PODTRACK_STORE") or "podtrack.db"
    program = Binary(binary)
    program.version  # too old a program fails here
    if not os.path.exists(named):
        raise NoStoreError("open %s: there is no store" % named, "podtrack.run makes one", 10)
    return Store(os.path.abspath(named), program)


def store_of(store: Store | str | os.PathLike[str] | None, binary: str | os.PathLike[str] | None) -> Store:
    """Returns a store that may not exist yet."""
    if isinstance(store, Store):
        return store
    path = given_path("store", store) if store is not None else os.environ.get("PODTRACK_STORE") or "podtrack.db"
    return Store(os.path.abspath(path), Binary(binary))


def record(name: str, *, algorithm: str = "", version: str = "", parameters: Mapping[str, Any] | None = None,
           env: Env | Mapping[str, Any] | None = None, collect: str | None = None, method: Method | str | None = None,
           select: str | None = None, learner: Learner | str | None = None,
           learns: str = "values", iterations: int | None = None, check: bool = False,
           store: Store | str | os.PathLike[str] | None = None,
           binary: str | os.PathLike[str] | None = None, **spec: Unpack[Kept]) -> Recording:
    """Records an algorithm of your own as a run: each iteration's steps, directions, selection and values
    are given as arrays, checked, and stored; options, measures and whatever else follows from them are
    computed by podtrack. A run of that name is continued, if it has the same spec.

    Parameters
    ----------
    name
        Of the run.
    algorithm
        What computes what is recorded, letters, digits and ``. _ / -``; by default the name.
    version
        A text to change whenever it computes something else.
    parameters
        What else decides what it computes, names and texts.
    env
        An environment of podtrack by its name, an environment of your own as for
        :func:`podtrack.run`, or a description: ``{"name": …, "version": …, "actions": […],
        "observes": …}``, and perhaps parameters and reward.
    collect, method, select, learner
        What podtrack computes in place of your algorithm, by the names
        that podtrack run has for it: ``collect="walk"``, ``method="pod"``, ``select="threshold"``,
        ``learner="sweeps"``.
    learns
        "values", or "weights" of features.
    iterations
        How many are to be recorded. With fewer the run is interrupted, however the recording ends; without this it is
        complete once it is closed. A run whose recording ends with an exception has failed.
    check
        Take the first steps of an environment of your own again, as for :func:`podtrack.run`; with ``collect``, without
        which nothing acts in it.
    store, binary, spec
        As for :func:`podtrack.run`.
    """
    check_keywords(spec, Kept)
    if not given_text("name", name):
        raise UsageError("name='' names no run", "give the recording a name")
    check_argument("--name=" + name)
    if not isinstance(version, str) or not version:
        raise UsageError("the version of the algorithm is not known",
                         "give version=TEXT, and change it whenever it computes something else")
    if check and collect is None:
        raise UsageError("check=True: nothing acts in the environment", "leave it out, or give collect=\"walk\"")
    form = None
    if isinstance(env, Mapping):
        env = Environment(Described(), **env)
    if env is not None and not isinstance(env, str):
        env = env if isinstance(env, Environment) else Environment(env)
        form = described(env)
    texts = as_declared(parameters or {})
    declaration: dict[str, Any] = {"name": algorithm or name, "version": version}
    if texts:
        declaration["params"] = texts
    declared: dict[str, dict[str, Any]] = {}
    for stage, given in (("collect", collect), ("method", method), ("select", select), ("learner", learner)):
        if given is None:
            declared[stage] = dict(declaration)
        elif not isinstance(given, str):
            raise UsageError("%s=%.80r" % (stage, given), "name what podtrack computes, or leave it out")
    if "learner" in declared:
        declared["learner"].update(learns=learns, model="own" if form is None and learns == "values" else "observed")
    services = Given(env, collect=collect, method=method, select=select, learner=learner)
    return Recording(store_of(store, binary), name, declaration, declared, services, form, {**spec}, iterations, check)


def described(env: Environment) -> dict[str, Any]:
    """Returns the form of an environment's observations, and whether it has rewards."""
    served = env.serve()
    declaration = served.declaration
    return {**form_of(declaration["observes"]), "reward": bool(declaration.get("reward"))}


def study(which: str | os.PathLike[str], *, store: Store | str | os.PathLike[str] | None = None,
          binary: str | os.PathLike[str] | None = None, parallel: int | None = None, progress: bool = False,
          allow_exec: bool = False) -> Study:
    """Makes the runs of a study that are not complete, and compares its variants.

    Parameters
    ----------
    which
        Its file, ``"rooms.toml"``; or the name of a study of the store, whose runs are compared as they are.
    store, binary, progress
        As for :func:`podtrack.run`.
    parallel
        How many runs are made at once; by default as many as there are cores.
    allow_exec
        Execute the programs that the file names. Without it nothing in a file is executed.
    """
    opened, named = store_of(store, binary), given_path("study", which)
    if not named.endswith(".toml"):
        return Study(opened, named)
    flags = flags_of({"parallel": parallel, "allow_exec": allow_exec})
    drive(opened.binary, ["sweep", "--json", *flags, *opened.flags, "--", named], progress=progress)
    with open(named, "rb") as file:
        return Study(opened, tomllib.load(file).get("study") or Path(named).stem)
