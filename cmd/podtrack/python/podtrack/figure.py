"""Figures that ``podtrack plot`` draws."""

from __future__ import annotations

import os
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Figure:
    """A figure as SVG. Notebooks show it."""

    svg: str = field(repr=False)
    command: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the figure to an SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg
