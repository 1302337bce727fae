"""The types of podtrack's reports, as its JSON schema has them. Written by a test:
go test ./cmd/podtrack/internal/e2e/python -run PythonReported -update"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
    ancestors: list[dict[str, Any]]
    spec: dict[str, Any]
    proof_level: str
    failure: str = ""
    keep: dict[str, Any] | None = None


@dataclass(frozen=True)
class Remedy:
    """A change to try: a value of a field of the spec, or if field is "" a change of the environment's features."""
    field: str
    value: str
    text: str
    keeps: int = 0


@dataclass(frozen=True)
class FindingReport:
    """What podtrack found about a run: see Finding."""
    kind: str
    k: int
    iterations: int
    of: int
    remedies: list[Remedy]
    text: str
    direction: dict[str, Any] | None = None
    features: list[dict[str, Any]] = field(default_factory=list)
    states: dict[str, Any] | None = None
    calls: dict[str, Any] | None = None
    recheck: dict[str, Any] | None = None


@dataclass(frozen=True)
class StageLevel:
    """How much a head proves of a stage: recomputed, verified or claimed (podtrack help stages). level is without, and
    with_programs with, the program that needs names: env, collect, method, select, learner or measure."""
    stage: str
    level: str
    with_programs: str
    needs: str = ""


@dataclass(frozen=True)
class RecordedMeasures:
    """What iterations record of how they went; None where it is not defined."""
    purposes: int | None = None
    options: int | None = None
    available: int | None = None
    calls: int | None = None
    truncated: int | None = None
    option_length: float | None = None
    reach: float | None = None
    distance: int | None = None
    final: int | None = None
    distance_one_sided: int | None = None
    states_visited: int | None = None


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
    calls: int
    truncated: int
    option_length: float | None
    reach: float | None
    distance: int | None
    final: int | None
    distance_one_sided: int | None
    states_visited: int
    records: list[Record]
    cost: dict[str, float]
    external_measures: dict[str, float | None] = field(default_factory=dict)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    eigenpurposes: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class OptionInfo:
    """An option as ``podtrack options`` lists it: its purpose (iteration k, direction j, sign), its certificate, and
    what it was used for. Lengths are in steps."""
    option: str
    run: str
    number: int
    k: int
    j: int
    sign: int
    sigma: float
    termination: str
    acyclic: bool
    longest: int | None
    reach: float | None
    initiation: int
    peak_q: float
    tolerance: float
    null: bool
    calls: int
    length: float | None
    truncated: int = field(metadata={"json": "cut"})
    new_states: int = field(metadata={"json": "gained"})
    eigenvalue: float | None = field(default=None, metadata={"json": "lambda"})
    max_steps: int = 0
    closed: bool = False


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
    feature_scale: str = ""
    psi_part: str = ""
    directions_from: str = ""
    selected_by: str = ""


@dataclass(frozen=True)
class Dataset:
    """The D that was factored."""
    digest: str
    rows: int
    distinct: int
    iterations: list[int]
    data: list[dict[str, Any]]


@dataclass(frozen=True)
class Evidence:
    """A distinct row of D with its share of the purpose's evidence, from 0 to 1."""
    row: list[float]
    count: int
    product: float
    share: float
    support: float
    steps: list[dict[str, Any]]
    from_state: int | None = field(default=None, metadata={"json": "from"})
    to_state: int | None = field(default=None, metadata={"json": "to"})


@dataclass(frozen=True)
class Ablation:
    """The nearest purpose when D is factored without a source's steps."""
    cosine: float
    j: int
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
class WhyReport:
    """Where an option comes from: see Why."""
    option: str
    run: str
    k: int
    number: int | None
    purpose: Purpose
    dataset: Dataset
    evidence: list[Evidence]
    sources: list[Source]
    after: list[Source]
    ancestors: list[Ancestor]
    acts: dict[str, Any] | None
    chain: list[Proof]
    levels: list[StageLevel]


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
    number_a: int | None
    number_b: int | None
    cosine: float
    matched: bool
    sigma_a: float
    sigma_b: float
    option_similarity: float
    policy_agreement: float
    policy_agreement_ties: float
    policy_agreement_visits: float | None
    initiation_jaccard: float
    terminal_agreement: float
    value_rmse: float
    value_rmse_visits: float | None
    value_max: float
    differing: int
    states: list[dict[str, Any]]


@dataclass(frozen=True)
class Chance:
    """The similarity of random purposes; None if it would take too long to compute."""
    mean: float | None
    p95: float | None
    draws: int


@dataclass(frozen=True)
class IterationDiff:
    """What an iteration of two runs shares."""
    k: int
    a: str
    b: str
    identical: bool
    equivalent: bool
    overlap: float | None
    overlap_most: float | None
    cosine: float | None
    threshold: float
    agreement: float
    chance: Chance
    dimensions: int
    pairs: list[Pair]
    only_a: list[str]
    only_b: list[str]
    clusters: list[dict[str, Any]]


@dataclass(frozen=True)
class StageVerdict:
    """What replaying a stage found, such as ``identical``, and its level: recomputed, verified or claimed, "" if it has
    none."""
    stage: str
    verdict: str
    pruned: int = 0
    difference: dict[str, Any] | None = None
    reason: str = ""
    level: str = ""


@dataclass(frozen=True)
class IterationReplay:
    """What replaying an iteration found."""
    k: int
    identical: bool
    stages: list[StageVerdict]


@dataclass(frozen=True)
class ReplayReport:
    """What replaying a run found: see Replay."""
    type: str
    run: str
    iterations: list[IterationReplay]
    first: dict[str, Any] | None = None
