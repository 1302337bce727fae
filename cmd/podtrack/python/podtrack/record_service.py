"""Answers podtrack's requests for stages (replay/external/STAGES.md) from the arrays of an iteration."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .adapter.loop import said
from .errors import PodtrackError, UsageError
from .serving import Service
from .stage_service import decisions_of
from .stages import Selection
from .steps import PackedSteps, defined, numbers

PARTS = {"collect": "transitions", "method": "factors", "select": "purposes", "learner": "values",
         "measure": "measures"}
"""The argument of an iteration that each stage is answered from."""

BATCH = 1 << 16


class Given:
    """The arrays of one iteration; those that podtrack computes are None.

    Attributes
    ----------
    policies
        The actions of each option, to be compared; None for nothing to compare.
    order
        The observation of each state, where these are numbers; otherwise None.
    observations
        How many there can be.
    states, features
        How many podtrack has after the steps; None for those of an environment of podtrack.
    """

    def __init__(self, k: int, steps: PackedSteps | None, factors: Any, purposes: Any, values: Any, policies: Any,
                 order: NDArray[np.int64] | None, measures: Mapping[str, float | None] | None = None,
                 states: int | None = None, features: int | None = None) -> None:
        self.measures, self.states, self.features = measures, states, features
        self.k, self.steps, self.factors, self.purposes, self.values = k, steps, factors, purposes, values
        self.policies, self.order = policies, order
        self.observations = 0 if steps is None else int(steps.form.get("n", 0))


class RecordService(Service):
    """Serves the stages that a recording has arrays for."""

    def __init__(self, declared: dict[str, dict[str, Any]]) -> None:
        self.declared = declared
        self.given: Given | None = None
        self.refusal: Exception | None = None  # with which every request is answered
        self.learned = 0  # options of the iteration so far
        self.link = ""  # of the last iteration that podtrack has on the disk
        self._may_answer_ahead = False
        self._begun = -1  # the last iteration that podtrack was given steps of
        self._asked: dict[str, Any] | None = None  # for an iteration that was not given yet
        self._send: Callable[[bytes], None] = lambda answer: None

    @property
    def flags(self) -> Sequence[str]:  # type: ignore[override]
        """Those of the stages that are declared now."""
        return list(self.declared)

    def begin(self, send: Callable[[bytes], None]) -> Callable[[bytes], bytes]:
        self.learned, self._begun, self._asked, self.waits, self._send = 0, -1, None, False, send
        return lambda line: self.answer(json.loads(line))

    def resume(self) -> None:
        """Answers the request for the iteration that is given now."""
        request, self._asked, self.waits = self._asked, None, False
        assert request is not None
        self._send(self.answer(request))

    def end(self) -> None:
        """Answers that there are no more iterations."""
        request, self._asked, self.waits = self._asked, None, False
        assert request is not None
        self._send(json.dumps({"id": request["id"], "end": True}).encode() + b"\n")

    def answer(self, request: dict[str, Any]) -> bytes:
        """Returns the line that answers a request, with its payload; nothing if it is for an iteration that
        comes next."""
        if request["do"] == "collect" and request["first"] == 0:
            self.link = request.get("link", "")
            if self.given is not None and self._begun == self.given.k == request["k"] - 1:
                self._asked, self.waits = request, True
                return b""
            self.learned, self._begun = 0, request["k"]
        try:
            answer, payload = self._perform(request)
        except Exception as error:
            self.fail()
            message = error.message if isinstance(error, PodtrackError) else said(error)
            return line_of({"id": request["id"], "error": message})
        ahead = self._ahead(request)
        if ahead:
            answer["ahead"] = len(ahead)
        lines = [line_of({"id": request["id"] + i, **each}) + data
                 for i, (each, data) in enumerate([(answer, payload), *ahead])]
        return b"".join(lines)

    def _ahead(self, request: dict[str, Any]) -> list[tuple[dict[str, Any], bytes]]:
        """Answers the requests that will follow, up to one whose answer is an error: that one has to be made."""
        answers = []
        with suppress(Exception):
            for following in self._following(request):
                answers.append(self._perform(following))
        return answers

    def _following(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The requests that podtrack makes after one, as far as they follow from what is given."""
        given, do = self.given, request["do"]
        if not self._may_answer_ahead or given is None or given.states is None or given.features is None:
            return
        if do == "collect" and {"method", "select"} <= set(self.declared) and is_end(given.steps, request):
            yield {**request, "do": "method", "features": [""] * given.features}
            do, sigma = "select", numbers(pair(given.factors)[0], "sigma", (-1,))
            yield {**request, "do": do, "sigma": sigma[sigma > 0].tolist()}
        if do == "select" and "learner" in self.declared:
            for _ in given.values:  # as many as the selection makes options
                yield {**request, "do": "learn", "states": given.states}
            if "measure" in self.declared:
                yield {**request, "do": "measure"}

    def _perform(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        do = request["do"]
        if do == "hello":
            self._may_answer_ahead = "ahead" in request.get("extensions", [])
            return {"protocol": 1, "stages": {stage: self.declared[stage] for stage in request["stages"]},
                    "extensions": request.get("extensions", [])}, b""
        if self.refusal is not None:
            raise self.refusal
        given = self._iteration(request)
        if do == "collect":
            return self._collect(request)
        if do == "method":
            return self._directions(given, len(request["features"]))
        if do == "select":
            return self._decisions(given, request), b""
        if do == "measure":
            return {"measures": defined(given.measures or {})}, b""
        return self._learn(given, request)

    def _decisions(self, given: Given, request: dict[str, Any]) -> dict[str, Any]:
        n = len(request["sigma"])
        answer = decisions_of(kept(given.purposes, n), n)
        options = sum(answer["keep"]) * (1 if request["spec"].get("sides") else 2)
        if given.values is not None and len(given.values) != options:
            raise UsageError("values of %d options, where the kept directions make %d" % (len(given.values), options),
                             "give values for each kept direction: with sign + and with sign −, unless sides chooses "
                             "one")
        return answer

    def _iteration(self, request: dict[str, Any]) -> Given:
        if self.given is None or self.given.k != request["k"]:
            raise UsageError("iteration %d is asked for, which was not given" % request["k"],
                             "the run has other iterations than this recording thinks: begin it again")
        return self.given

    def _collect(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        given = self._iteration(request)
        assert given.steps is not None
        first = request["first"]
        end = end_of(given.steps, request)
        payload = given.steps.frame(first, end)
        answer = {"steps": end - first, "bytes": len(payload)}
        if first == 0:
            answer["observation"] = given.steps.start
        return answer, payload + b"\n"

    def _directions(self, given: Given, d: int) -> tuple[dict[str, Any], bytes]:
        sigma, vectors = pair(given.factors)
        values = numbers(sigma, "sigma", (-1,))
        return framed({"sigma": values.tolist()}, numbers(vectors, "vectors", (len(values), d)))

    def _learn(self, given: Given, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        at = self.learned
        if at >= len(given.values):
            purpose = request["purpose"]
            raise UsageError("values of %d options, where there are more: direction %d, sign %+d, has none" % (
                len(given.values), purpose["j"], purpose["sign"]),
                "give values of each option: those of a direction's sign +, then of its sign −, unless sides chooses "
                "one")
        if self.declared["learner"]["learns"] == "weights":
            weights = numbers(given.values[at], "weights of option %d" % at, (-1, -1))
            self.learned += 1
            return {"weights": weights.tolist()}, b""
        answer: dict[str, Any] = {}
        if given.policies is not None and at < len(given.policies):
            policy = by_state(given, given.policies[at], "the policy of option %d" % at, request)
            answer["policy"] = policy.astype(np.int64).tolist()
        values = by_state(given, given.values[at], "values of option %d" % at, request)
        self.learned += 1
        return framed(answer, values)

    def finish(self) -> None:
        """Raises an error if more was given than was asked for."""
        given, values = self.given, self.given.values if self.given else None
        if given is not None and values is not None and self.learned < len(values):
            raise UsageError("values of %d options, where %d are kept" % (len(values), self.learned),
                             "the iteration is recorded, with the first of them; give values of kept directions alone")


def end_of(steps: PackedSteps, request: dict[str, Any]) -> int:
    """Returns the number of steps up to the last one that is answered."""
    return min(int(request["first"]) + min(int(request["steps"]), BATCH), len(steps.actions))


def is_end(steps: PackedSteps | None, request: dict[str, Any]) -> bool:
    """Reports whether the answer to a request for steps has the last ones."""
    return steps is not None and end_of(steps, request) == len(steps.actions)


def line_of(answer: dict[str, Any]) -> bytes:
    """Returns the line of an answer."""
    return json.dumps(answer, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def framed(answer: dict[str, Any], array: NDArray[np.float64]) -> tuple[dict[str, Any], bytes]:
    """Returns an answer with an array as its payload."""
    payload = array.astype("<f8").tobytes()
    return {**answer, "bytes": len(payload)}, payload + b"\n"


def by_state(given: Given, array: Any, what: str, request: dict[str, Any]) -> NDArray[np.float64]:
    """Returns a number for each of podtrack's states."""
    numbered, states = numbers(array, what, (-1,)), request["states"]
    if given.order is not None:
        n = given.observations
        if len(numbered) != n:
            raise UsageError("%s: %d numbers, for %d observations" % (what, len(numbered), n),
                             "give one for each observation from 0 to %d, whether it was seen or not" % (n - 1))
        return numbered[given.order]
    if len(numbered) != states:
        raise UsageError("%s: %d numbers, for %d states" % (what, len(numbered), states),
                         "give one for each state; run.states(transitions) has those of an environment of your own")
    return numbered


def pair(factors: Any) -> Sequence[Any]:
    """Returns sigma and vectors."""
    if not isinstance(factors, (tuple, list)) or len(factors) != 2:
        raise UsageError("factors are %.80r" % (factors,), "give (sigma, vectors): float[r] and float[r, d]")
    return factors


def kept(purposes: Any, n: int) -> Any:
    """Returns the decisions about n directions."""
    if isinstance(purposes, Selection):
        return purposes
    keep = np.asarray(purposes)
    if keep.shape != (n,) or keep.dtype != bool and n:
        raise UsageError("purposes of the shape %s, %s, for %d directions with σ > 0" % (keep.shape, keep.dtype, n),
                         "give True or False for each of them, or a podtrack.Selection")
    return keep
