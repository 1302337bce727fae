"""What podtrack reports of runs and options, as dataclasses (podtrack help json has the fields)."""

from __future__ import annotations

import typing
from html import escape
from dataclasses import dataclass, field
from typing import Any

from .documents import decode
from .flags import in_python
from .html import table

# Of a run, and its iterations.


@dataclass(frozen=True)
class RunInfo:
    """A run as ``podtrack ls`` lists it."""

    run: str
    short: str
    name: str
    seed: int
    env: str
    reading: str
    iterations: int
    target: int
    status: str
    head: str | None
    tags: list[str]
    note: str
    created: str
    spec: dict[str, Any]
    proof_level: str = ""


@dataclass(frozen=True)
class Remedy:
    """A change to try: a value of a field of the spec, or if field is "" a change of the environment's features."""

    text: str
    field: str = ""
    value: str = ""


@dataclass(frozen=True)
class Finding:
    """Something about a run that is worth a look, such as options that are never called: in the last iteration k of
    those in which it was found. podtrack help json has the kinds, and json all that is known of it."""

    kind: str
    k: int
    text: str
    remedies: list[Remedy]
    json: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __str__(self) -> str:
        tries = "".join(" Try %s." % remedy.text for remedy in self.remedies[:1])
        return "iteration %d: %s%s" % (self.k, self.text, tries)


def finding_of(document: dict[str, Any]) -> Finding:
    """Returns a finding from JSON, in the words of who calls this package."""
    remedies = [{**remedy, "text": in_python(remedy["text"])} for remedy in document["remedies"]]
    return decode(Finding, {**document, "text": in_python(document["text"]), "remedies": remedies, "json": document})


@dataclass(frozen=True)
class StageLevel:
    """How much a head proves of a stage: recomputed, verified or claimed (podtrack help stages). level is
    without, and with_programs with, the program that needs names: env, collect, method, select, learner or measure."""

    stage: str
    level: str
    with_programs: str
    needs: str = ""


@dataclass(frozen=True)
class Measures:
    """What was measured in an iteration; None where it is not defined.

    Lengths and distances are in steps; the glossary has each (podtrack help glossary). ``external`` has
    the measures of your own, which ``measures["NAME"]`` finds, too."""

    calls: int | None = None
    truncated: int | None = None
    option_length: float | None = None
    reach: float | None = None
    distance: float | None = None
    final: float | None = None
    distance_one_sided: float | None = None
    states_visited: int | None = None
    external: dict[str, float | None] = field(default_factory=dict, metadata={"json": "external_measures"})

    def __getitem__(self, name: str) -> float | None:
        if name in self.external:
            return self.external[name]
        if name == "external" or name not in self.__dataclass_fields__:
            raise KeyError(name)
        return typing.cast("float | None", getattr(self, name))


@dataclass(frozen=True)
class Record:
    """A record of an iteration: bytes in its canonical form, and as it is stored."""

    kind: str
    digest: str
    bytes: int
    stored: int
    pruned: bool = False


@dataclass(frozen=True)
class IterationInfo:
    """An iteration as ``podtrack show`` has it."""

    k: int
    link: str
    steps: int
    sigma: list[float] | None
    purposes: int
    options: int
    available: int
    records: list[Record]
    cost: dict[str, float]


@dataclass(frozen=True)
class OptionInfo:
    """An option as ``podtrack options`` lists it: its purpose (iteration k, direction j, sign), its
    certificate, and what it was used for. Lengths are in steps."""

    option: str
    number: int
    k: int
    j: int
    sign: int
    sigma: float
    calls: int
    length: float | None
    termination: str = ""
    longest: int | None = None
    reach: float | None = None
    initiation: int | None = None
    null: bool = False
    truncated: int = field(default=0, metadata={"json": "cut"})
    new_states: int = field(default=0, metadata={"json": "gained"})


# Of why.


@dataclass(frozen=True)
class Purpose:
    """An eigenpurpose, and how well the data determine it. directions_from is what else than podtrack made the
    direction, selected_by what else kept it; "" for podtrack."""

    j: int
    sign: int
    sigma: float
    vector: list[float]
    features: list[str]
    basis: str
    select: str
    method: str
    kappa: float
    margin: float
    gap_above: float | None
    gap_below: float | None
    lowest: float
    warnings: list[str]
    directions_from: str = ""
    selected_by: str = ""


@dataclass(frozen=True)
class Dataset:
    """The D that was factored."""

    digest: str
    rows: int
    distinct: int


@dataclass(frozen=True)
class Evidence:
    """A distinct row of D with its share of the purpose's evidence, from 0 to 1."""

    row: list[float]
    count: int
    share: float
    support: float
    steps: list[dict[str, Any]]


@dataclass(frozen=True)
class Ablation:
    """The nearest purpose when D is factored without a source's steps."""

    cosine: float
    sigma: float
    selected: bool


@dataclass(frozen=True)
class Source:
    """An action or an option, and its share of the evidence."""

    source: str
    number: int | None
    steps: int
    share: float
    support: float
    without: Ablation | None


@dataclass(frozen=True)
class Ancestor:
    """An earlier option whose steps are behind the purpose."""

    option: str
    number: int
    depth: int
    share: float
    influence: float


@dataclass(frozen=True)
class Proof:
    """A link of the chain of proof: what was verified, and how."""

    k: int
    what: str
    digest: str
    verified: bool
    how: str


@dataclass(frozen=True)
class Why:
    """Where an option comes from, as ``podtrack why`` explains it."""

    option: str
    run: str
    k: int
    number: int | None
    purpose: Purpose
    dataset: Dataset
    evidence: list[Evidence]
    sources: list[Source]
    ancestors: list[Ancestor]
    chain: list[Proof]
    levels: list[StageLevel] = field(default_factory=list)
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


# Of diff.


@dataclass(frozen=True)
class Divergence:
    """The first stage whose records differ."""

    k: int
    stage: str


@dataclass(frozen=True)
class FieldDifference:
    """A field of the spec in which two runs differ."""

    field: str
    a: str
    b: str


@dataclass(frozen=True)
class Pair:
    """Two matched options, or purposes, of two runs."""

    a: str
    b: str
    cosine: float
    matched: bool
    sigma_a: float
    sigma_b: float
    number_a: int | None = None
    number_b: int | None = None
    option_similarity: float | None = None
    policy_agreement: float | None = None
    initiation_jaccard: float | None = None
    terminal_agreement: float | None = None
    value_rmse: float | None = None


@dataclass(frozen=True)
class Chance:
    """The similarity of random purposes; None if it would take too long to compute."""

    mean: float | None = None
    p95: float | None = None


@dataclass(frozen=True)
class IterationDiff:
    """What an iteration of two runs shares."""

    k: int
    identical: bool
    equivalent: bool
    overlap: float | None
    pairs: list[Pair]
    only_a: list[str]
    only_b: list[str]
    threshold: float
    cosine: float | None = None
    chance: Chance | None = None


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


# Of replay.


@dataclass(frozen=True)
class StageVerdict:
    """What replaying a stage found, such as ``identical``, and its level: recomputed, verified or claimed,
    "" if it has none."""

    stage: str
    verdict: str
    level: str = ""


@dataclass(frozen=True)
class IterationReplay:
    """What replaying an iteration found."""

    k: int
    identical: bool
    stages: list[StageVerdict]


@dataclass(frozen=True)
class Replay:
    """What replaying a run found: whether executing every stage again gives the same bits."""

    run: str
    iterations: list[IterationReplay]
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
