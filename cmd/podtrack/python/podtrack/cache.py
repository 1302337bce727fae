"""The arrays of a run, exported when they are first used."""

from __future__ import annotations

from .binary import Binary
from .folder import Folder
from .mapped import Array, MappedFile

AHEAD_BYTES = 64 << 20
"""Of an array that was asked for in two iterations, those of all others are exported with the second
if they are expected to have no more bytes than this."""


class RunArrays:
    """The arrays of one run, which are exported from the store when they are first used. In memory
    are those parts of them that were looked at."""

    def __init__(self, binary: Binary, store: str, run: str, iterations: int, folder: Folder) -> None:
        self._binary, self._store, self._run, self._folder = binary, store, run, folder
        self._iterations = iterations
        self._found: dict[tuple[int, str], Array | None] = {}

    def get(self, k: int, name: str) -> Array | None:
        """Returns array name of iteration k, an NDArray; None if the iteration has none."""
        if (k, name) not in self._found:
            self._fetch(self._wanted(k, name), name)
        return self._found[k, name]

    def _wanted(self, k: int, name: str) -> list[int]:
        """Returns the iterations of which the array is exported: k, or all if it was asked for before."""
        sizes = [0 if array is None else array.nbytes for (_, n), array in self._found.items() if n == name]
        missing = [i for i in range(self._iterations) if (i, name) not in self._found]
        if not sizes or max(sizes) * len(missing) > AHEAD_BYTES:
            return [k]
        return missing

    def _fetch(self, iterations: list[int], name: str) -> None:
        path = self._folder.new(".npz")
        self._binary.run([
            "export", self._run, "--store", self._store, "-o", path, "--mappable", "--only", name,
            "--iterations", ",".join(map(str, iterations)),
        ])
        file = MappedFile(path)
        for k in iterations:
            member = "%d/%s" % (k, name)
            self._found[k, name] = file[member] if member in file else None
