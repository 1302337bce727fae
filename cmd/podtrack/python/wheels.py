"""Builds the wheels of podtrack, which carry the program, and the sdist, by Go and Python's standard library alone.

    python3 wheels.py [-o DIR] [PLATFORM ...]

builds from a clone the wheels for some platforms, such as linux/arm64, or the sdist and the wheels for all of them. pip
calls build_wheel, build_sdist and build_editable (PEP 517, PEP 660). The same commit, Go and Python make the same
bytes: entries are sorted, and have the time SOURCE_DATE_EPOCH or the commit's.
"""

from __future__ import annotations

import argparse
import base64
import functools
import gzip
import hashlib
import io
import os
import platform
import shutil
import stat
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROJECT: dict[str, Any] = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RELEASE = "%s-%s" % (PROJECT["name"], PROJECT["version"])
INFO = RELEASE + ".dist-info"

# By Go's names. The program for Linux is static, so that it needs no C library. Go needs macOS 12.
PLATFORMS = {
    "linux/amd64": ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"),
    "linux/arm64": ("manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"),
    "darwin/amd64": ("macosx_12_0_x86_64",),
    "darwin/arm64": ("macosx_12_0_arm64",),
    "windows/amd64": ("win_amd64",),
    "windows/arm64": ("win_arm64",),
}
GO_NAMES = {"win32": "windows", "x86_64": "amd64", "aarch64": "arm64"}

IS_SDIST = (HERE / "source").is_dir()
SOURCE = HERE / "source" if IS_SDIST else HERE.parents[2]  # the folder of go.mod
NOT_BUILT = ("cmd/podtrack/python/", "cmd/podtrack/versus/", "cmd/podtrack/internal/e2e/", ".ci/", ".github/")
FIRST_ZIP_TIME = 315532800  # 1980-01-01
LICENSES = {"LICENSE": "LICENSE", "licenses.txt": "cmd/podtrack/internal/help/licenses.txt"}  # its own, and all


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds the wheel for this platform, and returns its name."""
    return wheel(Path(wheel_directory), this_platform())


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds the wheel of pip install -e: the program, and the place of this package. Returns its name."""
    return pack(Path(wheel_directory), this_platform(), program(this_platform()),
                {"podtrack.pth": (str(HERE) + "\n").encode()})


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Writes the metadata of the wheels, which needs no Go. Returns the name of the folder."""
    folder = Path(metadata_directory, INFO)
    folder.mkdir()
    (folder / "METADATA").write_bytes(metadata())
    return INFO


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Builds the sdist from a clone: this folder, and in source what the program is built from. Returns its name."""
    if IS_SDIST:
        raise SystemExit("an sdist is made from a clone of the repository, not from another sdist")
    files = {name: (HERE / name).read_bytes() for name in ("pyproject.toml", "README.md", "wheels.py")}
    files["PKG-INFO"] = metadata()
    files.update({name: (SOURCE / path).read_bytes() for name, path in LICENSES.items()})
    files.update(package())
    for name in command(["git", "ls-files", "-z"]).split("\0"):
        is_test = name.endswith("_test.go") or "testdata" in name.split("/")
        if name and not is_test and not name.startswith(NOT_BUILT):
            files["source/" + name] = (SOURCE / name).read_bytes()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo("%s/%s" % (RELEASE, name))
            entry.size, entry.mtime = len(data), epoch()
            tar.addfile(entry, io.BytesIO(data))
    path = Path(sdist_directory, RELEASE + ".tar.gz")
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return path.name


def this_platform() -> str:
    """Returns the platform of this Python, by Go's names."""
    machine = platform.machine().lower()
    return "%s/%s" % (GO_NAMES.get(sys.platform, sys.platform), GO_NAMES.get(machine, machine))


def wheel(folder: Path, target: str) -> str:
    """Builds the wheel for a platform, and returns its name."""
    return pack(folder, target, program(target))


def program(target: str) -> bytes:
    """Builds the program for a platform."""
    flags = {"CGO_ENABLED": "0", "GOAMD64": "v1", "GOARM64": "v8.0"}
    if target in PLATFORMS:
        flags["GOOS"], flags["GOARCH"] = target.split("/")
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "podtrack")
        go(["build", "-trimpath", "-ldflags=-s -w", "-buildvcs=" + ("false" if IS_SDIST else "auto"),
            "-o", str(path), "./cmd/podtrack"], flags)
        return path.read_bytes()


def pack(folder: Path, target: str, binary: bytes, with_files: dict[str, bytes] | None = None) -> str:
    """Writes the wheel with a program and some files, by default the package's, and returns its name."""
    here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tags = PLATFORMS.get(target, (here,))
    script = "%s.data/scripts/podtrack%s" % (RELEASE, ".exe" if target.startswith("windows/") else "")
    info = INFO + "/"
    about = "Wheel-Version: 1.0\nGenerator: podtrack wheels.py\nRoot-Is-Purelib: false\n"
    files = {script: binary, **(package() if with_files is None else with_files)}
    files.update({info + "licenses/" + name: (SOURCE / path).read_bytes() for name, path in LICENSES.items()})
    files[info + "METADATA"] = metadata()
    files[info + "WHEEL"] = (about + "".join("Tag: py3-none-%s\n" % tag for tag in tags)).encode()
    lines = ["%s,sha256=%s,%d\n" % (name, digest(data), len(data)) for name, data in sorted(files.items())]
    files[info + "RECORD"] = "".join([*lines, info + "RECORD,,\n"]).encode()
    path = folder / ("%s-py3-none-%s.whl" % (RELEASE, ".".join(tags)))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in sorted(files.items(), key=lambda file: (file[0].startswith(info), file)):
            entry = zipfile.ZipInfo(name, time.gmtime(max(epoch(), FIRST_ZIP_TIME))[:6])
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED  # of Unix, which has modes
            entry.external_attr = (stat.S_IFREG | (0o755 if name == script else 0o644)) << 16
            packed.writestr(entry, data)
    return path.name


def package() -> dict[str, bytes]:
    """Returns the files of the package. Its links to the adapter are followed, which not every system has."""
    files = {path.relative_to(HERE).as_posix(): path for path in (HERE / "podtrack").rglob("*")
             if path.suffix == ".py" or path.name == "py.typed"}
    for path in (SOURCE / "replay" / "external" / "adapter").glob("*.py"):
        files["podtrack/adapter/" + path.name] = path
    return {name: path.read_bytes() for name, path in files.items()}


def metadata() -> bytes:
    """Returns the core metadata 2.4, from the table project of pyproject.toml."""
    fields = [("Metadata-Version", "2.4"), ("Name", PROJECT["name"]), ("Version", PROJECT["version"]),
              ("Summary", PROJECT["description"]), ("License-Expression", PROJECT["license"]),
              ("Requires-Python", PROJECT["requires-python"]), ("Keywords", ",".join(PROJECT["keywords"])),
              ("Description-Content-Type", "text/markdown")]
    fields += [("Author", author["name"]) for author in PROJECT["authors"]]
    fields += [("License-File", name) for name in sorted(LICENSES)]
    fields += [("Project-URL", "%s, %s" % url) for url in PROJECT["urls"].items()]
    fields += [("Classifier", name) for name in PROJECT["classifiers"]]
    fields += [("Requires-Dist", needed) for needed in PROJECT["dependencies"]]
    for extra, names in PROJECT["optional-dependencies"].items():
        fields += [("Provides-Extra", extra)]
        fields += [("Requires-Dist", '%s; extra == "%s"' % (needed, extra)) for needed in names]
    return "".join("%s: %s\n" % field for field in fields).encode() + b"\n" + (HERE / "README.md").read_bytes()


def go(arguments: list[str], flags: dict[str, str]) -> str:
    """Calls Go in the folder of its sources, and returns what it prints."""
    if shutil.which("go") is None:
        module = (SOURCE / "go.mod").read_text(encoding="utf-8")
        version = next(line for line in module.splitlines() if line.startswith("go ")).split()[1]
        raise SystemExit("podtrack is built by Go, and there is no go on PATH: install Go %s or newer "
                         "(https://go.dev/dl), or install a wheel, which needs no Go" % version)
    return command(["go", *arguments], flags)


def command(words: list[str], flags: dict[str, str] | None = None) -> str:
    """Calls a program in the folder of Go's sources, and returns what it prints."""
    done = subprocess.run(words, cwd=SOURCE, env={**os.environ, **(flags or {})}, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit("%s: exit status %d" % (" ".join(words), done.returncode))
    return done.stdout


@functools.cache
def epoch() -> int:
    """Returns the time of all files, in seconds since 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given or IS_SDIST:
        return int(given or FIRST_ZIP_TIME)
    return int(command(["git", "log", "-1", "--format=%ct"]))


def digest(data: bytes) -> str:
    """Returns the SHA-256 of a file as RECORD has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main() -> None:
    parser = argparse.ArgumentParser(description="Builds the wheels of podtrack, and the sdist.")
    parser.add_argument("-o", dest="folder", type=Path, default=HERE / "dist", help="where to (%(default)s)")
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help="one of " + ", ".join(PLATFORMS))
    given = parser.parse_args()
    unknown = [name for name in given.platforms if name not in PLATFORMS]
    if unknown:
        parser.error("there is no platform %s; there are %s" % (unknown[0], ", ".join(PLATFORMS)))
    given.folder.mkdir(parents=True, exist_ok=True)
    if not given.platforms:
        print(given.folder / build_sdist(given.folder))
    for target in given.platforms or PLATFORMS:
        print(given.folder / wheel(given.folder, target), flush=True)


if __name__ == "__main__":
    main()
