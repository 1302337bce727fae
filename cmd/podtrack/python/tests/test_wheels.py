"""The wheels and the sdist, and what is installed from them."""

from __future__ import annotations

import email
import hashlib
import re
import shutil
import subprocess
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

import podtrack
import wheels

EXAMPLE = Path(__file__).parents[4] / "README.md"


def test_wheels_of_all_platforms(tmp_path: Path) -> None:
    names = []
    for target in wheels.PLATFORMS:
        name = wheels.pack(tmp_path, target, target.encode())
        names.append(name)
        whole = (tmp_path / name).read_bytes()
        packed = zipfile.ZipFile(tmp_path / name)
        info = next(n for n in packed.namelist() if n.endswith("/RECORD")).removesuffix("RECORD")
        assert {n.split("/")[0] for n in packed.namelist()} == {
            "podtrack", info[:-1], info[:-len("dist-info/")] + "data"}
        script = "scripts/podtrack" + ".exe" * target.startswith("windows")
        entry = next(e for e in packed.infolist() if e.filename.endswith(script))
        assert packed.read(entry) == target.encode() and entry.external_attr >> 16 & 0o777 == 0o755
        assert packed.read("podtrack/adapter/loop.py").startswith(b'"""')
        told = email.message_from_bytes(packed.read(info + "WHEEL")).get_all("Tag")
        assert told == ["py3-none-" + tag for tag in name.removesuffix(".whl").split("-")[-1].split(".")]
        for line in packed.read(info + "RECORD").decode().splitlines():
            path, digest, size = line.split(",")
            data = packed.read(path)
            assert path == info + "RECORD" or (digest, int(size)) == ("sha256=" + wheels.digest(data), len(data))
        again = wheels.pack(tmp_path, target, target.encode())
        assert (tmp_path / again).read_bytes() == whole
    assert len(set(names)) == len(wheels.PLATFORMS)
    assert names[3:5] == ["podtrack-%s-py3-none-%s.whl" % (podtrack.__version__, tag)
                          for tag in ("macosx_12_0_arm64", "win_amd64")]


def test_metadata() -> None:
    told = email.message_from_bytes(wheels.metadata())
    assert [told[name] for name in ("Name", "Version", "Requires-Python")] == [
        "podtrack", podtrack.__version__, ">=3.11"]
    assert told.get_all("Provides-Extra") == ["pandas", "gymnasium"]
    assert any(needed.startswith("pandas") and needed.endswith('; extra == "pandas"')
               for needed in told.get_all("Requires-Dist", []))
    assert told.get_payload().startswith("# podtrack")


def test_sdist_twice(tmp_path: Path) -> None:
    digests = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        path = tmp_path / name / wheels.build_sdist(str(tmp_path / name))
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
    assert len(digests) == 1
    names = tarfile.open(path).getnames()
    assert wheels.RELEASE + "/source/go.mod" in names and wheels.RELEASE + "/PKG-INFO" in names
    assert not [name for name in names if name.endswith("_test.go")]


def test_without_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="no go on PATH: install Go 1"):
        wheels.build_wheel(str(tmp_path))
    folder = tmp_path / wheels.prepare_metadata_for_build_wheel(str(tmp_path))
    told = email.message_from_bytes((folder / "METADATA").read_bytes())
    assert told.get_all("License-File") == sorted(wheels.LICENSES)


@pytest.mark.long
def test_pip_install_e(tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("there is no Go")
    made = install(tmp_path / "venv", "-e", wheels.HERE)
    assert output([made / "bin" / "podtrack", "--version"], tmp_path).startswith("podtrack ")
    found = output([made / "bin" / "python", "-c", "import podtrack as p; print(p.__file__); print(p.Binary().path)"],
                   tmp_path).splitlines()
    assert Path(found[0]).is_relative_to(wheels.HERE) and found[1] == str(made / "bin" / "podtrack")


def install(folder: Path, *what: str | Path) -> Path:
    """Returns a fresh environment, which sees the system's NumPy and pip, and in which something is installed."""
    venv.create(folder, system_site_packages=True)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--no-index", "-q", *what], check=True)
    return folder


def output(words: list[Any], folder: Path) -> str:
    """Returns what a command prints in a folder where only the system's programs are on PATH."""
    return subprocess.run(words, cwd=folder, env={"PATH": "/usr/bin:/bin", "HOME": str(folder)}, check=True,
                          stdout=subprocess.PIPE, text=True).stdout


@pytest.mark.long
def test_an_installed_wheel(tmp_path: Path) -> None:
    program = Path(podtrack.Binary().path).read_bytes()
    made = install(tmp_path / "venv", tmp_path / wheels.pack(tmp_path, wheels.this_platform(), program))
    python = made / "bin" / "python"
    version = output([made / "bin" / "podtrack", "--version"], tmp_path)
    assert version.startswith("podtrack ") and output([python, "-m", "podtrack", "--version"], tmp_path) == version
    found = output([python, "-c", "import podtrack as p; print(p.__file__, p.Binary().path)"], tmp_path)
    assert [Path(path).is_relative_to(made) for path in found.split()] == [True, True]
    example = re.findall(r"```py\n(.*?)```", EXAMPLE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "example.py").write_text(example[0], encoding="utf-8")
    assert "True" in output([python, "example.py"], tmp_path)


@pytest.mark.long
def test_an_installed_sdist(tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("there is no Go")
    made = install(tmp_path / "venv", tmp_path / wheels.build_sdist(str(tmp_path)))
    assert output([made / "bin" / "podtrack", "--version"], tmp_path).startswith("podtrack ")
    assert [len(list(made.rglob("podtrack-*/licenses/" + name))) for name in wheels.LICENSES] == [1, 1]
