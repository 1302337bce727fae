"""podtrack from Python: make runs, read those of a store as arrays, ask why, compare.

    import podtrack

    store = podtrack.open("podtrack.db")
    for run in store.runs("seed=0-9"):
        print(run.label, run[3].factors.sigma, run[3].options[4].policy)

Everything that is computed is computed by the program podtrack, which the package calls: see
``podtrack help python``.
"""

from __future__ import annotations

from .binary import Binary
from .errors import (
    BinaryError,
    DifferenceError,
    EnvironmentFailed,
    InterruptedRun,
    LockedError,
    NoStoreError,
    NotAStoreError,
    NotFoundError,
    PodtrackError,
    PodtrackWarning,
    StageFailed,
    StorageError,
    UnverifiedError,
    UsageError,
)
from .environment import Environment
from .fields import Fields
from .figure import Figure
from .iteration import Factors, Iteration, Options, Transitions
from .mapped import MappedFile
from .option import Option
from .page import Page
from .reports import Diff, Finding, Measures, Replay, StageLevel, Why
from .recording import Recording
from .run import Run
from .running import run
from .runs import Runs, Table
from .stages import (
    LearnInput,
    MeasureInput,
    MethodInput,
    Model,
    OptionPurpose,
    Selection,
    SelectInput,
    Stage,
    learner,
    measure,
    method,
    select,
)
from .steps import Steps
from .study import Study
from .store import Store, open_store, record, study  # after the module study, whose name the function takes

__version__ = "1.0.0"

open = open_store

__all__ = [
    "Binary", "BinaryError", "Diff", "DifferenceError", "Environment", "EnvironmentFailed", "Factors", "Fields",
    "Figure", "Finding", "InterruptedRun", "Iteration", "LearnInput", "LockedError", "MappedFile", "MeasureInput",
    "Measures", "MethodInput", "Model", "NoStoreError", "NotAStoreError", "NotFoundError", "Option",
    "OptionPurpose", "Options", "Page", "PodtrackError", "PodtrackWarning", "Recording", "Replay", "Run", "Runs",
    "SelectInput", "Selection", "Stage", "StageFailed", "StageLevel", "Steps", "StorageError", "Store", "Study",
    "Table", "Transitions", "UnverifiedError", "UsageError", "Why", "learner", "measure", "method", "open",
    "open_store", "record", "run", "select", "study",
]
