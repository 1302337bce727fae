#!/usr/bin/env python3
"""Builds what a release consists of, by Go and Python's standard library alone.

    .ci/release.py -o DIR [PLATFORM ...]

writes into DIR, for the platforms given (linux/amd64, ...) or for all: archives with the program and its completions;
Debian packages; wheels, and with all platforms the sdist; what the program is made of, in CycloneDX; and
the SHA-256 of each. The same commit, tags, Go and Python make the same bytes.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "cmd" / "podtrack" / "python"))
import wheels  # noqa: E402

VERSION = wheels.PROJECT["version"]
PROGRAM = "podtrack"
LICENSES = ROOT / "cmd" / "podtrack" / "internal" / "help" / "licenses.txt"
URL = wheels.PROJECT["urls"]["Homepage"]
SUMMARY = wheels.PROJECT["description"]

# Words of each license that no other one has, by its SPDX identifier.
MARKS = {
    "0BSD": "Zero-Clause BSD",
    "Apache-2.0": "Apache License Version 2.0",
    "BSD-2-Clause": "the Simplified BSD License",
    "BSD-3-Clause": "Neither the name of",
    "CC-BY-4.0": "Creative Commons Attribution 4.0 International Public License",
    "FTL": "The FreeType Project LICENSE",
    "MIT": "Permission is hereby granted, free of charge, to any person obtaining a copy of this software",
    "OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1",
}

Files = dict[str, bytes]
program = functools.cache(wheels.program)


def release(folder: Path, targets: list[str]) -> None:
    """Writes a release for some platforms into a folder."""
    folder.mkdir(parents=True)
    texts = texts_of(program(wheels.this_platform()))
    components: dict[str, dict[str, Any]] = {}
    for target in targets:
        binary = program(target)
        components.update(components_of(binary))
        write_archive(folder, target, binary, texts)
        if target.startswith("linux/"):
            write_deb(folder, target.split("/")[1], binary, texts)
        wheels.pack(folder, target, binary)
    if len(targets) == len(wheels.PLATFORMS):
        wheels.build_sdist(str(folder))
    add_licenses(components)
    write_bom(folder, components)
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}
    (folder / "SHA256SUMS").write_text("".join("%s  %s\n" % (digests[name], name) for name in digests))


def texts_of(binary: bytes) -> Files:
    """Returns the completions that the program for this platform prints."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, PROGRAM)
        path.write_bytes(binary)
        path.chmod(0o755)

        def printed(*arguments: str) -> bytes:
            return subprocess.run([path, *arguments], cwd=scratch, check=True, stdout=subprocess.PIPE).stdout
        return {"completions/podtrack." + shell: printed("completion", shell) for shell in ("bash", "zsh", "fish")}


def write_archive(folder: Path, target: str, binary: bytes, texts: Files) -> None:
    """Writes the archive for a platform: tar.gz, zip for Windows."""
    name = "podtrack_%s_%s" % (VERSION, target.replace("/", "_"))
    documents = {path.name: path.read_bytes() for path in (ROOT / "README.md", ROOT / "LICENSE", LICENSES)}
    if not target.startswith("windows/"):
        files = {"%s/%s" % (name, path): data for path, data in {PROGRAM: binary, **texts, **documents}.items()}
        (folder / (name + ".tar.gz")).write_bytes(compressed(tar(files, "%s/%s" % (name, PROGRAM))))
        return
    moment = time.gmtime(max(wheels.epoch(), wheels.FIRST_ZIP_TIME))[:6]
    with zipfile.ZipFile(folder / (name + ".zip"), "w", zipfile.ZIP_DEFLATED) as packed:
        for path, data in sorted({PROGRAM + ".exe": binary, **documents}.items()):
            entry = zipfile.ZipInfo("%s/%s" % (name, path), moment)
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED  # of Unix, wherever it is made
            entry.external_attr = 0o100644 << 16
            packed.writestr(entry, data)


def write_deb(folder: Path, arch: str, binary: bytes, texts: Files) -> None:
    """Writes a Debian package: an ar archive of two tar files. Its architectures have Go's names."""
    share = "./usr/share/"
    files = {
        "./usr/bin/" + PROGRAM: binary,
        share + "bash-completion/completions/podtrack": texts["completions/podtrack.bash"],
        share + "zsh/vendor-completions/_podtrack": texts["completions/podtrack.zsh"],
        share + "fish/vendor_completions.d/podtrack.fish": texts["completions/podtrack.fish"],
        share + "doc/podtrack/copyright": LICENSES.read_bytes(),
    }
    fields = {
        "Package": PROGRAM, "Version": VERSION.replace(".dev", "~dev"), "Architecture": arch,
        "Maintainer": wheels.PROJECT["authors"][0]["name"], "Section": "science", "Priority": "optional",
        "Homepage": URL, "Installed-Size": str(sum(map(len, files.values())) // 1024), "Description": SUMMARY,
    }
    sums = ["%s  %s\n" % (hashlib.md5(data).hexdigest(), name.removeprefix("./")) for name, data in files.items()]
    control = {
        "./control": "".join("%s: %s\n" % field for field in fields.items()).encode(),
        "./md5sums": "".join(sums).encode(),
    }
    members = {
        "debian-binary": b"2.0\n",
        "control.tar.gz": compressed(tar(control, "")),
        "data.tar.gz": compressed(tar(files, "./usr/bin/" + PROGRAM)),
    }
    with open(folder / ("podtrack_%s_%s.deb" % (fields["Version"], arch)), "wb") as deb:
        deb.write(b"!<arch>\n")
        for name, data in members.items():
            deb.write(b"%-16s%-12d0     0     100644  %-10d`\n" % (name.encode(), wheels.epoch(), len(data)))
            deb.write(data + b"\n" * (len(data) % 2))


def tar(files: Files, executable: str) -> bytes:
    """Returns a tar file of files, one of which is executable, and their folders, with the time of the commit."""
    folders = {name[:i] for name in files for i, letter in enumerate(name) if letter == "/"}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as out:
        for name in sorted(folders | set(files)):
            entry = tarfile.TarInfo(name)
            entry.mtime, entry.uname, entry.gname = wheels.epoch(), "root", "root"
            if name in files:
                entry.mode, entry.size = 0o755 if name == executable else 0o644, len(files[name])
                out.addfile(entry, io.BytesIO(files[name]))
            else:
                entry.mode, entry.type = 0o755, tarfile.DIRTYPE
                out.addfile(entry)
    return packed.getvalue()


def compressed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def components_of(binary: bytes) -> dict[str, dict[str, Any]]:
    """Returns the modules in a program, Go and the page's script among them, as components of CycloneDX by their names
    in licenses.txt."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(binary)
        file.flush()
        lines = [line.split() for line in wheels.command(["go", "version", "-m", file.name]).splitlines()]
    found = {"Go": component("stdlib", lines[0][1].removeprefix("go"), "pkg:golang/stdlib@%s")}
    for words in lines:
        if words[0] == "dep":
            found["%s %s" % (words[1], words[2])] = component(words[1], words[2], "pkg:golang/" + words[1] + "@%s")
    script = (ROOT / "cmd/podtrack/internal/web/assets/idiomorph.txt").read_text(encoding="utf-8").partition("\n")[0]
    name, version = script.split()
    found[script] = component(name, version, "pkg:npm/" + name + "@%s")
    return found


def component(name: str, version: str, purl: str) -> dict[str, Any]:
    return {"type": "library", "bom-ref": purl % version, "name": name, "version": version, "purl": purl % version}


def add_licenses(components: dict[str, Any]) -> None:
    """Adds to each component the SPDX identifiers of the licenses that the program prints of it and of its parts."""
    found: dict[str, set[str]] = {}
    sections = re.split("={72}\n", LICENSES.read_text(encoding="utf-8"))
    for names, text in zip(sections[1::2], sections[2::2]):
        known = {name for name, words in MARKS.items() if words in " ".join(text.split())}
        for line in names.splitlines():
            found.setdefault(line.split(", ")[0], set()).update(known)
    for name, described in components.items():
        if not found.get(name):
            raise SystemExit("%s has no license of %s that is known; TestLicenses renews it" % (LICENSES.name, name))
        described["licenses"] = [{"expression": " AND ".join(sorted(found[name]))}]


def write_bom(folder: Path, components: dict[str, Any]) -> None:
    """Writes what the program is made of, in CycloneDX 1.6."""
    own = component(PROGRAM, VERSION, "pkg:golang/github.com/podtrack/podtrack@v%s")
    own.update(type="application", licenses=[{"license": {"id": "MIT"}}])
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(wheels.epoch()))
    bom = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"timestamp": made, "component": own},
        "components": [components[name] for name in sorted(components)],
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": sorted(c["bom-ref"] for c in components.values())}],
    }
    text = json.dumps(bom, indent=2, ensure_ascii=False) + "\n"
    (folder / ("podtrack_%s.cdx.json" % VERSION)).write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Builds what a release consists of.")
    parser.add_argument("-o", dest="folder", type=Path, required=True, help="where to, a new folder")
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help="one of " + ", ".join(wheels.PLATFORMS))
    given = parser.parse_args()
    for name in given.platforms:
        if name not in wheels.PLATFORMS:
            parser.error("there is no platform %s; there are %s" % (name, ", ".join(wheels.PLATFORMS)))
    if given.folder.exists():
        parser.error("%s already exists" % given.folder)
    release(given.folder, given.platforms or list(wheels.PLATFORMS))


if __name__ == "__main__":
    main()
