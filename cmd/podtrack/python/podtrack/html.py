"""Tables as a notebook shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Returns a table as HTML. Numbers are rounded to four digits; None is a dash."""
    parts = ["<table>"]
    if caption:
        parts.append("<caption>%s</caption>" % escape(caption))
    parts.append("<thead><tr>%s</tr></thead><tbody>" % "".join("<th>%s</th>" % escape(h) for h in header))
    for row in rows:
        parts.append("<tr>%s</tr>" % "".join(map(cell, row)))
    parts.append("</tbody></table>")
    return "".join(parts)


def cell(value: Any) -> str:
    """Returns a cell: numbers, and those that are missing, stand at the right."""
    right = value is None or isinstance(value, (int, float)) and not isinstance(value, bool)
    return "<td%s>%s</td>" % (' style="text-align: right"' if right else "", escape(text(value)))


def text(value: Any) -> str:
    """Returns a value as it is shown in a cell."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return "%.4g" % value
    if isinstance(value, (list, tuple)):
        return ", ".join(map(text, value))
    return str(value)
