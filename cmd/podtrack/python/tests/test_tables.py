"""Tables that leave Python: a column has one type whatever its values, with the packages that packages.txt pins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import podtrack

pytestmark = pytest.mark.packages


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[podtrack.Store]:
    """Two stores of a run, whose values look as if their columns had other types."""
    folder = tmp_path_factory.mktemp("tables")
    specs: list[dict[str, Any]] = [{"kappa": 1}, {"kappa": 0.5, "seed": 2**64 - 1}]
    for number, spec in enumerate(specs):
        run = podtrack.run(store=folder / f"{number}.db", bits=5, steps=20, iterations=2, **spec)
    run.tag("half")
    return [podtrack.open(folder / f"{number}.db") for number in range(2)]


def test_arrow(stores: list[podtrack.Store], tmp_path: Path) -> None:
    import polars
    import pyarrow
    from pyarrow import parquet

    for read in (lambda s: s.runs().to_dicts(), lambda s: s.runs().measures()):
        tables = [read(store).to_arrow() for store in stores]
        assert tables[0].schema == tables[1].schema
        for number, table in enumerate(tables):
            parquet.write_table(table, tmp_path / f"{number}.parquet")
        both = polars.read_parquet(tmp_path / "*.parquet")
        assert both.schema["seed"] == polars.UInt64 and set(both["seed"]) == {0, 2**64 - 1}
        assert len(both) == sum(len(read(store)) for store in stores)
    table = pyarrow.concat_tables(store.runs().to_dicts().to_arrow() for store in stores)
    assert table["kappa"].to_pylist() == [1, 0.5] and table["tags"].to_pylist() == [[], ["half"]]
    assert [str(table.schema.field(name).type) for name in ("kappa", "bits", "select", "numerics")] == [
        "double", "int64", "string", "int64"]


def test_no_rows_have_the_same_types(stores: list[podtrack.Store]) -> None:
    nothing, runs = stores[0].runs("seed=77"), stores[0].runs()
    for none, some in ((nothing.to_dicts(), runs.to_dicts()), (nothing.measures(), runs.measures())):
        schema, types = some.to_arrow().schema, some.to_pandas().dtypes
        empty = none.to_arrow().schema
        assert len(empty) > 3 and all(schema.field(name) == empty.field(name) for name in empty.names)
        assert all(types[name] == kind for name, kind in none.to_pandas().dtypes.items())


def test_pandas(stores: list[podtrack.Store]) -> None:
    frames = [store.runs().to_pandas() for store in stores]
    assert frames[0].dtypes.equals(frames[1].dtypes) and frames[1]["seed"][0] == 2**64 - 1
    assert [str(frames[0].dtypes[name]) for name in ("kappa", "seed", "bits", "name")] == [
        "float64", "UInt64", "Int64", "string"]


def test_a_study(tmp_path: Path) -> None:
    (tmp_path / "kappas.toml").write_text("""seeds = "0-1"
iterations = 2
steps = 20
bits = 5
[[variant]]
name = "one"
[[variant]]
name = "half"
kappa = 0.5
""")
    study = podtrack.study(tmp_path / "kappas.toml", store=tmp_path / "study.db")
    compared = study.to_dicts().to_arrow()
    assert [str(compared.schema.field(name).type) for name in ("n", "mean", "baseline")] == [
        "int64", "double", "string"]
    assert compared["variant"].to_pylist() == ["one", "half"] and study.to_pandas()["n"].dtype == "Int64"
    variants = study.runs().to_dicts().to_arrow()["variant"].to_pylist()
    assert sorted(variants) == [["half"], ["half"], ["one"], ["one"]]
