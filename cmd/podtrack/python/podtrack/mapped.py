"""Arrays of an npz file, mapped into memory where they are not compressed."""

from __future__ import annotations

import os
import zipfile
from typing import Any

import numpy as np
from numpy.lib import format as numpy_format
from numpy.typing import NDArray

Array = NDArray[Any]

npy: Any = numpy_format  # whose functions have no types


class MappedFile:
    """The arrays of a file that ``podtrack export --mappable`` wrote. Nothing is read before it is used."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        with zipfile.ZipFile(self.path) as archive:
            self._members = {i.filename.removesuffix(".npy"): i for i in archive.infolist()}

    @property
    def names(self) -> list[str]:
        """The names of all arrays."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def __getitem__(self, name: str) -> Array:
        """Returns an array, which cannot be written to."""
        info = self._members[name]
        if info.compress_type != zipfile.ZIP_STORED:
            raise ValueError("%s in %s is compressed" % (name, self.path))
        with open(self.path, "rb") as file:
            file.seek(info.header_offset + 26)
            sizes = file.read(4)
            begin = 4 + int.from_bytes(sizes[:2], "little") + int.from_bytes(sizes[2:], "little")
            file.seek(begin - 4, os.SEEK_CUR)
            npy.read_magic(file)
            shape, _, dtype = npy.read_array_header_1_0(file)
            offset = file.tell()
        if 0 in shape:
            empty: Array = np.empty(shape, dtype)
            empty.flags.writeable = False
            return empty
        mapped: Array = np.memmap(self.path, dtype=dtype, mode="r", offset=offset, shape=shape).view(np.ndarray)
        return mapped
