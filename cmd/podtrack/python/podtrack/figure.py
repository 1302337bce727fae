"""Figures that ``podtrack plot`` draws."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from .binary import Binary
from .errors import given_path
from .folder import Folder


class Figure:
    """A figure, which notebooks show. It is drawn in a format when that is first asked for.

    Attributes
    ----------
    command
        The command that draws it.
    """

    def __init__(self, binary: Binary, folder: Folder, words: Sequence[str], flags: Sequence[str]) -> None:
        self._binary, self._folder, self._words, self._flags = binary, folder, words, flags
        self.command = " ".join(["podtrack", "plot", *words])
        self.svg  # what cannot be drawn is refused at once

    @cached_property
    def svg(self) -> str:
        """The figure as SVG."""
        return self._draw("svg").decode()

    @cached_property
    def png(self) -> bytes:
        """The figure as PNG."""
        return self._draw("png")

    def _draw(self, form: str) -> bytes:
        path = self._folder.new("." + form)
        self.save(path)
        with open(path, "rb") as file:
            drawn = file.read()
        os.remove(path)
        return drawn

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the figure to a file, as its name ends: svg, png or pdf."""
        self._binary.run(["plot", *self._words, "--force", "-o", given_path("save", path), *self._flags])

    def __repr__(self) -> str:
        return "<Figure of %s>" % self.command

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """PNG, with the figure's width in pixels of CSS. Some pages and versions of nbconvert show nothing of SVG."""
        points = self.svg.partition('width="')[2].partition('pt"')[0]
        return {"image/png": self.png}, {"image/png": {"width": round(float(points) * 96 / 72)}}
