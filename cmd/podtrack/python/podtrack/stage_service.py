"""The server's side of podtrack's protocol for stages (replay/external/STAGES.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .adapter.loop import said
from .errors import PodtrackError, UsageError
from .serving import Service
from .steps import defined, measures_of
from .stages import LearnInput, MeasureInput, MethodInput, Model, OptionPurpose, Selection, SelectInput, Stage

PROTOCOL = 1


class StageSession:
    """Answers the requests of one program of stages."""

    def __init__(self, stages: Mapping[str, Stage[Any, Any]], declared: Mapping[str, Any],
                 digests: Mapping[str, str], report: Callable[[], None]) -> None:
        self.stages, self.declared, self.digests, self.report = stages, declared, digests, report
        self.model: Model | None = None

    def answer(self, line: bytes) -> bytes:
        """Returns the line that answers a request, and behind it the numbers that a learner returned."""
        request = json.loads(line)
        answer: dict[str, Any] = {"id": request["id"]}
        try:
            if request["do"] == "learn":
                learned = self._learn(request)
                answer["bytes"] = len(learned)
                return json.dumps(answer).encode() + b"\n" + learned + b"\n"
            answer.update(self._perform(request))
            text = json.dumps(answer, allow_nan=False, separators=(",", ":"))
        except Exception as error:
            self.report()
            message = error.message if isinstance(error, PodtrackError) else said(error)
            text = json.dumps({"id": request["id"], "error": message})
        return text.encode() + b"\n"

    def _perform(self, request: dict[str, Any]) -> dict[str, Any]:
        do = request["do"]
        if do == "hello":
            return {"protocol": PROTOCOL, "stages": {s: self.declared[s] for s in request["stages"]},
                    "code": {"digests": self.digests}}
        if do == "method":
            return directions_of(self.stages["method"](method_input(request)))
        if do == "select":
            return decisions_of(self.stages["select"](select_input(request)), len(request["sigma"]))
        if do == "model":
            self.model = Model(request["states"], request["actions"], table(request["transitions"]),
                               floats(request.get("features")))
            return {}
        if do == "measure":
            given = MeasureInput(request["spec"], request["k"], request["measures"])
            return {"measures": defined(measures_of(self.stages["measure"](given)))}
        raise UsageError("there is no request %r" % do)

    def _learn(self, request: dict[str, Any]) -> bytes:
        if self.model is None:
            raise UsageError("learn without a model")
        stage = self.stages["learner"]
        w, purpose = np.array(request["w"], float), purpose_of(request["purpose"])
        learned = stage(LearnInput(request["spec"], request["k"], purpose, w, request["tolerance"], self.model))
        weights = stage.choices["learns"] == "weights"
        array = finite(learned, 2 if weights else 1, "weights" if weights else "values")
        return bytes(array.astype("<f8").tobytes())


class StageService(Service):
    """Serves stages to any number of programs."""

    def __init__(self, stages: Mapping[str, Stage[Any, Any]]) -> None:
        self.stages, self.flags = stages, list(stages)
        self.declared = {name: stage.declaration for name, stage in stages.items()}  # as they are now
        self.digests = {name: text for stage in stages.values() for name, text in stage.digests.items()}

    def begin(self, send: Callable[[bytes], None]) -> Callable[[bytes], bytes]:
        return StageSession(self.stages, self.declared, self.digests, self.fail).answer


def method_input(request: dict[str, Any]) -> MethodInput:
    c = len(request["features"])
    transitions = request.get("transitions")
    return MethodInput(request["spec"], request["k"], request["features"],
                       np.array(request["rows"], float).reshape(-1, c), np.array(request["counts"], np.int64),
                       floats(request.get("states")), None if transitions is None else table(transitions))


def select_input(request: dict[str, Any]) -> SelectInput:
    signs = request.get("signs")
    n = len(request["sigma"])
    return SelectInput(request["spec"], request["k"], request["rows"], np.array(request["sigma"], float),
                       np.array(request["vectors"], float).reshape(n, -1) if n else np.empty((0, 0)),
                       None if signs is None else np.array(signs, np.int64),
                       [purpose_of(each) for each in request["options"]])


def purpose_of(given: dict[str, Any]) -> OptionPurpose:
    return OptionPurpose(given["number"], given["j"], given["sign"], given["sigma"], np.array(given["vector"], float))


def table(transitions: Any) -> Any:
    """Returns transitions as int64[t, 5]."""
    return np.array(transitions, np.int64).reshape(-1, 5)


def floats(given: Any) -> Any:
    """Returns an array of numbers, None for None."""
    return None if given is None else np.array(given, float)


def finite(given: Any, dimensions: int, what: str) -> Any:
    """Returns what a function returned as finite float64 of so many dimensions."""
    try:
        array = np.asarray(given, float)
    except (TypeError, ValueError):
        raise UsageError("%s are %.80r, which is no array of numbers" % (what, given)) from None
    if array.ndim != dimensions:
        raise UsageError("%s have %d dimensions, not %d" % (what, array.ndim, dimensions))
    if not np.isfinite(array).all():
        raise UsageError("%s have numbers that are not finite" % what)
    return array


def directions_of(returned: Any) -> dict[str, Any]:
    """Returns the answer for what a method returned."""
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise UsageError("a method returns (sigma, vectors), not %.80r" % (returned,))
    sigma = finite(returned[0], 1, "sigma")
    vectors = finite(returned[1], 2, "vectors")
    return {"sigma": sigma.tolist(), "vectors": vectors.tolist()}


def decisions_of(returned: Any, n: int) -> dict[str, Any]:
    """Returns the answer for what a selection returned about n directions."""
    selection = returned if isinstance(returned, Selection) else Selection(returned)
    keep = np.asarray(selection.keep)
    if keep.shape != (n,) or n and keep.dtype != bool:
        raise UsageError("a selection returns whether each of %d directions is kept, not %.80r" % (n, selection.keep))
    answer: dict[str, Any] = {"keep": keep.tolist()}
    if selection.reasons is not None:
        answer["reasons"] = list(selection.reasons)
    if selection.numbers is not None:
        answer["numbers"] = finite(selection.numbers, 1, "numbers").tolist()
    for name, given in (("nearest", selection.nearest), ("signs", selection.signs)):
        if given is not None:
            answer[name] = [int(each) for each in np.asarray(given).tolist()]
    return answer
