"""A store that podtrack made, for all tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import podtrack

# Marks of tests, and the variables that ask for them. Those of packages need what packages.txt lists.
OPTIONAL = {"long": "PODTRACK_LONG_TESTS", "packages": "PODTRACK_PACKAGES"}


def pytest_configure(config: pytest.Config) -> None:
    for marker, variable in OPTIONAL.items():
        config.addinivalue_line("markers", f"{marker}: runs only with {variable}=1")
    if not os.environ.get("PODTRACK_BINARY") and shutil.which("go"):
        folder = tempfile.mkdtemp(prefix="podtrack-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder))
        os.environ["PODTRACK_BINARY"] = os.path.join(folder, "podtrack")
        subprocess.run(["go", "build", "-o", os.environ["PODTRACK_BINARY"], "./cmd/podtrack"],
                       cwd=Path(__file__).parents[4], check=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for marker, variable in OPTIONAL.items():
        if not os.environ.get(variable):
            items[:] = [item for item in items if item.get_closest_marker(marker) is None]


@pytest.fixture()
def standins(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the stand-ins for Gymnasium and others, which can be imported."""
    folder = next(Path(__file__).parents[2].glob("internal/**/standin"))
    packages = {path.stem for path in folder.iterdir()}

    def imported() -> list[str]:
        return [name for name in sys.modules if name.partition(".")[0] in packages]

    for name in imported():
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in imported():
        del sys.modules[name]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "podtrack.db"
    program = podtrack.Binary().path
    for seed, name in ((7, "seven"), (8, "eight")):
        subprocess.run([program, "run", "--store", path, "--seed", str(seed), "--bits", "6", "--steps", "200",
                        "--iterations", "4", "--reading", "as-published", "--name", name],
                       check=True, capture_output=True)
    return path


@pytest.fixture()
def store(made: Path) -> podtrack.Store:
    return podtrack.open(made)
