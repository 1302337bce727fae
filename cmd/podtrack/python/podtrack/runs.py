"""Several runs, as a sequence and as tables."""

from __future__ import annotations

import csv
import importlib
import io
import json
import typing
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, overload

from .binary import parse
from .errors import PodtrackError, from_output
from .fields import Fields
from .html import table
from .reported import RecordedMeasures, RunInfo
from .run import Run
from .storefile import StoreFile, reference_of

COLUMNS = ("run", "name", "seed", "env", "reading", "iterations", "target", "status", "head", "tags", "created")

PLACES = ("study", "setting", "variant")


# The types of columns, whatever their values: of runs, fields of specs and recorded measures.
TYPES: dict[str, Any] = {
    name: kinds.pop()
    for declared in (RunInfo, Fields, RecordedMeasures)
    for name, kind in typing.get_type_hints(declared).items()
    if len(kinds := set(typing.get_args(kind) if isinstance(kind, UnionType) else (kind,)) - {NoneType}) == 1
} | dict.fromkeys(PLACES, list[str]) | {"numerics": int}

# The same in pandas; columns of types that are not here are texts.
DTYPES = {int: "Int64", float: "float64", bool: "boolean", list[str]: "object"}


class Table(list[dict[str, Any]]):
    """Rows, as dictionaries with the same keys: what a row lacks is None. A column has one type whatever its values;
    of a table without rows, the given columns."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = (), types: Mapping[str, Any] | None = None,
                 columns: Iterable[str] = ()) -> None:
        given = list(rows)
        self.columns = list(dict.fromkeys(key for row in given for key in row) if given else columns)
        self.types = {name: (types or TYPES).get(name, str) for name in self.columns}
        super().__init__({name: row.get(name) for name in self.columns} for row in given)

    def to_pandas(self) -> Any:
        """Returns the rows as a pandas.DataFrame: seeds are UInt64, other whole numbers Int64, texts string."""
        pandas = imported("pandas")
        return pandas.DataFrame({
            name: pandas.Series(self._values(name), dtype="UInt64" if name == "seed" else DTYPES.get(kind, "string"))
            for name, kind in self.types.items()})

    def to_arrow(self) -> Any:
        """Returns the rows as a pyarrow.Table, which polars.from_arrow takes and pyarrow.parquet.write_table writes:
        seeds are uint64, other whole numbers int64, texts string, and the columns tags, study, setting and variant
        lists of strings."""
        arrow = imported("pyarrow")
        texts = arrow.string()
        kinds = {int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_(), list[str]: arrow.list_(texts)}
        return arrow.table({
            name: arrow.array(self._values(name), arrow.uint64() if name == "seed" else kinds.get(kind, texts))
            for name, kind in self.types.items()})

    def _values(self, name: str) -> list[Any]:
        """Returns a column's values, each of the column's type or None."""
        kind = self.types[name]
        if kind == list[str]:
            return [[row[name]] if isinstance(row[name], str) else row[name] for row in self]
        if kind in DTYPES:
            return [row[name] for row in self]
        return [row[name] if isinstance(row[name], str | None) else json.dumps(row[name]) for row in self]

    def _repr_html_(self) -> str:
        return table(self.columns, [list(row.values()) for row in self])


def imported(name: str) -> Any:
    """Returns a module of another package, or says that it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise PodtrackError("there is no %s in this Python" % name, "install it, or use to_dicts()") from error


class Runs(Sequence[Run]):
    """Runs, in the order of their seeds and then of their making."""

    def __init__(self, store: StoreFile, runs: Sequence[Run]) -> None:
        self._store, self._runs = store, list(runs)

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...

    @overload
    def __getitem__(self, index: slice) -> Runs: ...

    def __getitem__(self, index: int | slice) -> Run | Runs:
        if isinstance(index, slice):
            return Runs(self._store, self._runs[index])
        return self._runs[index]

    def to_dicts(self) -> Table:
        """Returns a row for each run: what ls knows, the fields of the spec, and if one of the runs is in a study
        its study, setting and variant, which are lists for a run in several."""
        rows = [row_of(run) for run in self._runs]
        for name in PLACES:
            if any(run.places.get(name) for run in self._runs):
                for run, row in zip(self._runs, rows):
                    parts = run.places.get(name, [])
                    row[name] = parts if len(parts) > 1 else parts[0] if parts else None
        parameters = {name for run in self._runs for name in run.spec["env"].get("params", ())}
        return Table(rows, dict.fromkeys(parameters, int) | TYPES, COLUMNS)

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame with a row for each run."""
        return self.to_dicts().to_pandas()

    def measures(self) -> Table:
        """Returns a row for each run and iteration, with the measures; None where one is not defined."""
        rows: dict[tuple[str, int], dict[str, Any]] = {}
        for row in self._csv([]):
            key = row["run"], int(row["k"])
            rows.setdefault(key, {"run": row["run"], "name": row["name"], "seed": int(row["seed"] or 0), "k": key[1]})
            rows[key][row["metric"]] = number(row["value"], TYPES.get(row["metric"], float))
        types = {name: TYPES.get(name, float) for row in rows.values() for name in row}
        return Table(rows.values(), TYPES | types | {"k": int}, ("run", "name", "seed", "k"))

    def _csv(self, flags: list[str]) -> list[dict[str, str]]:
        if not self._runs:
            return []
        arguments = ["export", *(run.id for run in self._runs), "--format", "csv", *flags, *self._store.flags]
        return list(csv.DictReader(io.StringIO(self._store.binary.run(arguments).decode())))

    def __repr__(self) -> str:
        return "<%d runs>" % len(self)

    def _repr_html_(self) -> str:
        rows = [[r.info.short, r.name, r.seed, r.info.env, r.info.reading, r.info.iterations, r.status]
                for r in self._runs]
        return table(["run", "name", "seed", "env", "reading", "iterations", "status"], rows)


def find_runs(store: StoreFile, *filters: str) -> Runs:
    """Returns the runs that filters find, in the order of their seeds; without one all runs."""
    terms = [reference_of(each) for each in filters]
    done = store.binary.call(["ls", *terms, "--columns", ",".join(PLACES), "--json", *store.flags])
    if done.returncode and done.stdout.strip() != b"[]":  # which is what a filter finds that no run matches
        raise from_output(done.returncode, done.stderr.decode(errors="replace"))
    listed = parse(done.stdout)
    found = [Run(store, each) for each in listed]
    return Runs(store, sorted(found, key=lambda run: (run.seed, run.info.created)))


def row_of(run: Run) -> dict[str, Any]:
    """Returns a run as a row: the fields of the spec are columns, those of env with their own names."""
    row = {name: getattr(run.info, name) for name in COLUMNS}
    for key, value in run.spec.items():
        if key == "env":
            row.update({**value.get("params", {}), **value.get("text", {})})
        else:
            row.setdefault(key, float(value) if TYPES.get(key) is float else value)
    return row


def number(text: str, kind: type) -> float | int | None:
    """Returns the number that a cell of a column of that type has, None if it is empty."""
    return None if text == "" else typing.cast("float | int", kind(text))
