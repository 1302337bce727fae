"""What a store has, as Python reads it."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import numpy as np
import pytest

import podtrack
import wheels
from podtrack.cache import RunArrays


def test_runs_are_a_sequence(store: podtrack.Store) -> None:
    runs = store.runs("seed=7-8")
    assert [run.seed for run in runs] == [7, 8] and runs[1:][0].name == "eight"
    assert [run.seed for run in store.runs("seed=7", "env=ring")] == [7]
    assert len(store.runs("seed=1")) == 0
    rows = runs.to_dicts()
    assert rows[0]["kappa"] == 1 and rows[0]["bits"] == 6 and rows[0]["head"] == runs[0].head
    assert "eight" in runs._repr_html_()


def test_runs_of_a_study(tmp_path: Path) -> None:
    (tmp_path / "rooms.toml").write_text("""seeds = "0-1"
iterations = 1
steps = 20
[[setting]]
name = "four rooms"
env = "grid:four-rooms"
[[variant]]
name = "pod"
[[variant]]
name = "none"
select = "none"
""")
    path = tmp_path / "study.db"
    with pytest.warns(podtrack.PodtrackWarning, match="^iterations = 1"):
        study = podtrack.study(tmp_path / "rooms.toml", store=path)
    podtrack.run(store=path, bits=5, steps=20, iterations=1)
    store = study.store
    assert study.complete and len(study.runs("variant=pod")) == 2 and "four rooms" in str(study)
    assert [(row["variant"], row["baseline"], row["n"]) for row in study.to_dicts()] == [
        ("pod", None, 2), ("none", "pod", 2)]
    assert "<td>none</td>" in study._repr_html_() and "</svg>" in study.plot().svg
    assert store.study("rooms").json == study.json
    every = store.runs().to_dicts()  # of environments with other parameters
    assert {row["bits"] for row in every} == {5, None} and {row["map"] for row in every} == {"four-rooms", None}
    assert "<th>bits</th>" in every._repr_html_()
    rows = store.runs('study=rooms setting="four rooms"', "variant=pod").to_dicts()
    assert [(row["study"], row["setting"], row["variant"]) for row in rows] == [("rooms", "four rooms", "pod")] * 2
    assert {row["variant"] for row in store.runs().to_dicts()} == {"pod", "none", None}
    assert "study" not in store.runs("env=ring").to_dicts()[0]


def test_what_a_killed_process_left_is_removed(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    program = ("import os, signal, sys, tempfile, podtrack\ntempfile.tempdir = sys.argv[2]\n"
               "store = podtrack.open(sys.argv[1])\nstore['seven'][0].values\n"
               "child = os.fork()\nif not child: sys.exit()\nos.waitpid(child, 0)\n"
               "assert os.path.exists(store.folder.path)\nos.kill(os.getpid(), signal.SIGKILL)")
    living = podtrack.open(made)
    other = tmp_path / "podtrack-python-other"
    other.mkdir()
    done = subprocess.run([sys.executable, "-c", program, made, tmp_path], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    kept = {other, Path(living.folder.path)}
    left = set(tmp_path.iterdir()) - kept
    assert len(left) == 1
    with podtrack.open(made) as store:
        assert set(tmp_path.iterdir()) == kept | {Path(store.folder.path)}
    assert living["seven"][0].values.max() > 0


@pytest.mark.long
def test_to_pandas(store: podtrack.Store) -> None:
    pandas = pytest.importorskip("pandas")
    frame = store.runs().to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["seed"]) == [7, 8]
    measures = store.runs().measures().to_pandas()
    run = store["seven"]
    mine = measures[measures.run == run.id]
    assert list(mine["k"]) == [0, 1, 2, 3]
    assert list(mine["states_visited"]) == [k.measures.states_visited for k in run]


@pytest.mark.long
def test_arrays_are_those_of_export(store: podtrack.Store, tmp_path: Path) -> None:
    run, path = store["seven"], tmp_path / "seven.npz"
    run.export(path)
    names = 0
    with np.load(path) as exported:
        for name in exported.files:
            if "/" in name:
                k, array = name.split("/")
                found = run[int(k)].array(array)
                assert found.dtype == exported[name].dtype and found.shape == exported[name].shape
                assert found.tobytes() == exported[name].tobytes()
                names += 1
    assert names == len(run) * 16


def test_an_option_agrees_with_its_arrays(store: podtrack.Store) -> None:
    run = store["seven"]
    for iteration in run:
        states = 2 ** run.spec["env"]["params"]["bits"]
        assert len(iteration.options) == iteration.info.options
        for option in iteration.options:
            assert option.policy.shape == option.values.shape == (states,) and option.q.shape == (states, 2)
            assert np.array_equal(option.initiation, option.policy >= 0)
            assert option.info.initiation == option.initiation.sum()
            assert np.isclose(np.linalg.norm(option.purpose), 1)
            assert option.sigma == iteration.factors.sigma[option.info.j - 1]
    assert [option.number for option in run.options] == list(range(len(run.options)))


def test_arrays_are_contiguous_and_read_only(store: podtrack.Store) -> None:
    """Others write them as they lie in memory, as safetensors does."""
    iteration = store["seven"][1]
    found = 0
    for owner in (iteration, iteration.factors, iteration.transitions, iteration.options[0]):
        for name in (name for name in dir(type(owner)) if not name.startswith("_")):
            array = getattr(owner, name)
            if isinstance(array, np.ndarray):
                assert array.flags.c_contiguous and not array.flags.writeable, name
                found += 1
    assert found > 12


@pytest.mark.long
def test_factors_are_those_of_the_transitions(store: podtrack.Store) -> None:
    iteration = store["seven"][0]
    walk, factors = iteration.transitions, iteration.factors
    assert len(walk) == len(walk.actions) == 200 and walk.states.shape == (201,)
    assert walk.rewards is None and walk.episodes is None and set(walk.options) == {-1}
    sigma = np.linalg.svd(walk.delta, compute_uv=False)
    assert np.allclose(sigma, factors.sigma)
    assert np.allclose(factors.U * factors.sigma, factors.rows @ factors.V)
    assert np.allclose(factors.V.T @ factors.V, np.eye(len(sigma)))


def test_arrays_are_mapped_and_exported_ahead(store: podtrack.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[int]] = []
    fetch = RunArrays._fetch

    def counted(self: RunArrays, iterations: list[int], name: str) -> None:
        calls.append(iterations)
        fetch(self, iterations, name)

    monkeypatch.setattr(RunArrays, "_fetch", counted)
    run = store["seven"]
    arrays = [iteration.array("value") for iteration in run]
    assert calls == [[0], [1, 2, 3]]
    assert all(isinstance(a.base, np.memmap) and a.flags.aligned and not a.flags.writeable for a in arrays)
    assert all(a.__array_interface__["data"][0] % 64 == 0 for a in arrays)
    with pytest.raises(ValueError):
        arrays[0][0] = 1


@pytest.mark.long
def test_a_mappable_file_is_an_npz_file(store: podtrack.Store, tmp_path: Path) -> None:
    path = tmp_path / "mappable.npz"
    store["seven"].export(path, "--mappable")
    mapped = podtrack.MappedFile(path)
    with np.load(path) as loaded, zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert mapped.names == loaded.files
        for name in loaded.files:
            assert mapped[name].tobytes() == loaded[name].tobytes()
    store["seven"].export(tmp_path / "compressed.npz")
    with pytest.raises(ValueError, match="compressed"):
        podtrack.MappedFile(tmp_path / "compressed.npz")["0/value"]


def test_temporary_files_are_removed(made: Path) -> None:
    with podtrack.open(made) as store:
        folder = store.folder.path
        values = store["seven"][0].values
        assert os.listdir(folder)
    assert not os.path.exists(folder)
    assert values.max() > 0  # it stays mapped
    assert store["seven"][1].values.max() > 0  # and the store goes on
    path = store.folder.path
    del store, values
    gc.collect()
    assert not os.path.exists(path)


def test_labels(made: Path, store: podtrack.Store, tmp_path: Path) -> None:
    path = tmp_path / "labels.db"
    path.write_bytes(made.read_bytes())
    run = podtrack.open(path)["seven"]
    run.tag("first", "--odd")
    run.note = "seen by two"
    assert run.tags == ["--odd", "first"] and run.note == "seen by two" and len(run) == 4
    assert len(run.store.runs("tag=first")) == 1 and run.refresh().note == run.note
    run.untag("--odd")
    run.note = ""
    assert run.tags == run.refresh().tags == ["first"] and run.note == run.refresh().note == ""


def test_a_page(made: Path) -> None:
    with podtrack.open(made) as store:
        page = store.serve()
        assert page.address.startswith("http://127.0.0.1:") and page.address in page._repr_html_()
        with urllib.request.urlopen(page.address) as answer:
            assert answer.status == 200
    with pytest.raises(OSError):
        urllib.request.urlopen(page.address)
    page.close()


def test_why(store: podtrack.Store) -> None:
    option = store["seven"][1].options[0]
    why = option.why()
    assert why.number == option.number and why.verified and why.chain
    assert np.array_equal(why.purpose.vector, option.purpose)
    assert abs(sum(source.share for source in why.sources) - 1) < 1e-9
    assert why.json["option"] == "seven:1/1+" and "share" in why._repr_html_()
    assert re.fullmatch(r"<Why seven:1/1\+: σ [0-9.]+, \d+ sources, verified>", repr(why))


@pytest.mark.long
def test_diff(store: podtrack.Store) -> None:
    same = store["seven"].diff(store["seven"])
    assert same.identical and same.equivalent and same.parted is None
    other = store.diff("seven", "eight")
    assert not other.identical and other.parted is not None and other.parted.stage == "collect"
    assert [(d.field, d.a, d.b) for d in other.spec] == [("seed", "7", "8")]
    assert len(other.iterations) == 4 and other.iterations[0].pairs[0].cosine > 0
    options = store.diff(store["seven"].options[0], store["seven"].options[0])
    assert options.identical


@pytest.mark.long
def test_replay_and_plot(store: podtrack.Store, tmp_path: Path) -> None:
    replay = store["seven"].replay()
    assert repr(replay) == "<Replay of %.7s: identical>" % store["seven"].id
    assert replay.identical and [i.k for i in replay.iterations] == [0, 1, 2, 3]
    figure = store["seven"].plot("coverage")
    for name in ("coverage.svg", "coverage.png", "coverage.pdf", "coverage.svg"):
        figure.save(tmp_path / name)
    shown, about = figure._repr_mimebundle_()
    assert shown == {"image/png": figure.png} and about == {"image/png": {"width": 576}}  # 6 inches
    assert (tmp_path / "coverage.svg").read_text() == figure.svg
    assert (tmp_path / "coverage.png").read_bytes() == figure.png
    assert (tmp_path / "coverage.pdf").read_bytes().startswith(b"%PDF")
    assert store["seven"].options[0].plot().svg.rstrip().endswith("</svg>")


@pytest.mark.long
def test_notebooks_show_tables(store: podtrack.Store) -> None:
    run = store["seven"]
    for shown in (store, store.runs(), run, run[1], run[1].options, run[1].options[0], store.runs().measures()):
        assert shown._repr_html_().startswith("<table>")  # type: ignore[attr-defined]
        assert repr(shown)


@pytest.mark.long
def test_names_are_escaped(made: Path, store: podtrack.Store) -> None:
    run = podtrack.Run(store, {**store["seven"].document, "name": "<script>alert(1)</script>"})
    assert "<script>" not in run._repr_html_() and "&lt;script&gt;" in run._repr_html_()


@pytest.mark.parametrize("ask, kind, words", [
    (lambda s: s["nobody"], podtrack.NotFoundError, "podtrack ls"),
    (lambda s: s["seven"][9], podtrack.NotFoundError, "it has 4"),
    (lambda s: s["seven"][0].array("colour"), podtrack.UsageError, "the arrays are"),
    (lambda s: s["seven"][0].array("theta"), podtrack.NotFoundError, "help python"),
    (lambda s: s["--help"], podtrack.UsageError, "references"),
    (lambda s: s.runs("--json"), podtrack.UsageError, "references"),
    (lambda s: s.runs("colour=3"), podtrack.UsageError, "the keys are"),
    (lambda s: s.why("seven:#999"), podtrack.UsageError, "podtrack options"),
    (lambda s: s.why("seven:1"), podtrack.UsageError, "option 1 is 'seven:#1'"),
    (lambda s: s.plot("nothing", "seven"), podtrack.UsageError, "coverage"),
    (lambda s: s.study("rooms"), podtrack.UsageError, "has no study"),
    (lambda s: podtrack.study("no.toml", store=s), podtrack.UsageError, "help studies"),
    (lambda s: podtrack.open("no/such.db"), podtrack.NoStoreError, "podtrack.run"),
    (lambda s: podtrack.open(s.path, binary="no/such"), podtrack.BinaryError, "PODTRACK_BINARY"),
    (lambda s: podtrack.open(s.path, binary="true"), podtrack.BinaryError, "PODTRACK_BINARY"),
])
def test_errors_name_the_remedy(store: podtrack.Store, ask: object, kind: type[podtrack.PodtrackError],
                                words: str) -> None:
    assert callable(ask)
    with pytest.raises(kind) as caught:
        ask(store)
    assert words in caught.value.remedy and "\n  " in str(caught.value)


def test_what_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "text.db"
    path.write_text("this is a text\n" * 1000)
    with pytest.raises(podtrack.NotAStoreError) as caught:
        podtrack.open(path).runs()
    assert caught.value.code == 12


@pytest.mark.long
def test_pruned_records(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "pruned.db"
    program = podtrack.Binary().path
    subprocess.run([program, "run", "--name", "seven", "--keep", "none", "--store", path], check=True,
                   capture_output=True)
    run = podtrack.open(path)["seven"]
    with pytest.raises(podtrack.PodtrackError) as caught:
        run[0].factors.sigma
    assert caught.value.remedy


def test_versions_are_one() -> None:
    assert wheels.PROJECT["version"] == podtrack.__version__
    assert podtrack.Binary().version["format"] == podtrack.binary.FORMAT
