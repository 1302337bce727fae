"""What of this process a call of podtrack needs: an environment, stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .environment import Environment
from .errors import UsageError
from .serving import EnvironmentService, Service
from .stage_service import StageService
from .stages import Stage, learner, method, select


def unnamed(given: Any) -> Stage[Any, Any]:
    """Refuses a function that measures and does not say what."""
    raise UsageError("measure=%r" % (given,), "name what it measures: @podtrack.measure([\"NAME\"])")


MAKERS: dict[str, Callable[[Any], Stage[Any, Any]]] = {
    "method": method, "select": select, "learner": learner, "measure": unnamed}


class Given:
    """What a call was given: an environment and stages, each as a name that podtrack knows or as
    something of this process.

    Attributes
    ----------
    services
        What this process serves.
    flags
        The flags for what it does not.
    names
        What was given.
    """

    def __init__(self, env: Any = None, **stages: Any) -> None:
        self.services: dict[str, Service] = {}
        self.flags: dict[str, Any] = {}
        self.names = [name for name, value in {"env": env, **stages}.items() if value is not None]
        if env is None or isinstance(env, str):
            self.flags["env"] = env
        else:
            declared = env if isinstance(env, Environment) else Environment(env)
            self.services["env"] = EnvironmentService(declared.serve())
        served = {}
        for name, stage in stages.items():
            if stage is None or isinstance(stage, str):
                self.flags[name] = stage
            else:
                served[name] = stage_of(name, stage)
        if served:
            self.services["stages"] = StageService(served)

    @property
    def serves_environment(self) -> bool:
        """Whether the environment is an object of this process."""
        return "env" in self.services


def stage_of(name: str, given: Any) -> Stage[Any, Any]:
    """Returns a stage that was given as one, or as a function."""
    if isinstance(given, Stage):
        if given.stage != name:
            raise UsageError("%s is a %s, not a %s" % (given.name, given.stage, name), "give %s=…" % given.stage)
        return given
    if not callable(given):
        raise UsageError("%s=%r" % (name, given), "give a function, or a name that podtrack knows")
    return MAKERS[name](given)
