"""What podtrack reports of runs and options (podtrack help json has the fields), with what they say of themselves."""

from __future__ import annotations

import typing
from html import escape
from dataclasses import dataclass, field
from typing import Any

from .documents import decode
from .flags import in_python
from .html import table
from .reported import (
    Ablation, Ancestor, Chance, Dataset, Divergence, Evidence, FieldDifference, FindingReport, IterationDiff,
    IterationInfo, IterationReplay, OptionInfo, Pair, Proof, Purpose, Record, RecordedMeasures, Remedy, ReplayReport,
    RunInfo, Source, StageLevel, StageVerdict, WhyReport,
)

__all__ = [
    "Ablation", "Ancestor", "Chance", "Dataset", "Diff", "Divergence", "Evidence", "FieldDifference", "Finding",
    "IterationDiff", "IterationInfo", "IterationReplay", "Measures", "OptionInfo", "Pair", "Proof", "Purpose", "Record",
    "Remedy", "Replay", "RunInfo", "Source", "StageLevel", "StageVerdict", "Why", "finding_of",
]


@dataclass(frozen=True)
class Finding(FindingReport):
    """Something about a run that is worth a look, such as options that are never called: in the last iteration k of
    those in which it was found. podtrack help json has the kinds, and json all that is known of it."""

    json: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __str__(self) -> str:
        tries = "".join(" Try %s." % remedy.text for remedy in self.remedies[:1])
        return "iteration %d: %s%s" % (self.k, self.text, tries)


def finding_of(document: dict[str, Any]) -> Finding:
    """Returns a finding from JSON, in the words of who calls this package."""
    remedies = [{**remedy, "text": in_python(remedy["text"])} for remedy in document["remedies"]]
    return decode(Finding, {**document, "text": in_python(document["text"]), "remedies": remedies, "json": document})


@dataclass(frozen=True)
class Measures(RecordedMeasures):
    """What was measured in an iteration; None where it is not defined.

    Lengths and distances are in steps; the glossary has each (podtrack help glossary). ``external`` has
    the measures of your own, which ``measures["NAME"]`` finds, too."""

    external: dict[str, float | None] = field(default_factory=dict, metadata={"json": "external_measures"})

    def __getitem__(self, name: str) -> float | None:
        if name in self.external:
            return self.external[name]
        if name == "external" or name not in self.__dataclass_fields__:
            raise KeyError(name)
        return typing.cast("float | None", getattr(self, name))


@dataclass(frozen=True)
class Why(WhyReport):
    """Where an option comes from, as ``podtrack why`` explains it."""

    json: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def verified(self) -> bool:
        """Whether every record behind the option was verified."""
        return all(proof.verified for proof in self.chain)

    def __repr__(self) -> str:
        return "<Why %s: σ %.4g, %d sources, %s>" % (
            self.option, self.purpose.sigma, len(self.sources), "verified" if self.verified else "not verified")

    def _repr_html_(self) -> str:
        rows = [[s.source or "no option yet", s.steps, s.share, s.support] for s in self.sources]
        head = "%s: σ %.4f, evidence from %d rows" % (self.option, self.purpose.sigma, self.dataset.rows)
        notes = "".join("<p>%s</p>" % escape(warning) for warning in self.purpose.warnings)
        return table(["source", "steps", "share", "support"], rows, head) + notes


@dataclass(frozen=True)
class Diff:
    """How two runs, iterations or options differ, as ``podtrack diff`` compares them. Identical means
    equal digests, equivalent means within the thresholds."""

    identical: bool
    equivalent: bool
    parted: Divergence | None = None
    spec: list[FieldDifference] = field(default_factory=list)
    iterations: list[IterationDiff] = field(default_factory=list)
    json: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        return "<Diff: %s>" % self._verdict

    def _repr_html_(self) -> str:
        rows = [[i.k, "yes" if i.identical else "no", i.overlap, len(i.pairs), len(i.only_a), len(i.only_b)]
                for i in self.iterations]
        return table(["k", "identical", "overlap", "pairs", "only a", "only b"], rows, self._verdict)

    @property
    def _verdict(self) -> str:
        return "identical" if self.identical else "equivalent" if self.equivalent else "different"


@dataclass(frozen=True)
class Replay(ReplayReport):
    """What replaying a run found: whether executing every stage again gives the same bits."""

    json: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def identical(self) -> bool:
        """Whether all stages of all iterations gave the same bits."""
        return all(iteration.identical for iteration in self.iterations)

    def __repr__(self) -> str:
        return "<Replay of %.7s: %s>" % (self.run, self._verdict)

    def _repr_html_(self) -> str:
        stages = [stage.stage for stage in self.iterations[0].stages] if self.iterations else []
        rows = [[i.k, *(stage.level or stage.verdict for stage in i.stages)] for i in self.iterations]
        return table(["k", *stages], rows, "Replay: " + self._verdict)

    @property
    def _verdict(self) -> str:
        return "identical" if self.identical else "not all identical"
