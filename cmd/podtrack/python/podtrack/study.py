"""Studies: variants of the algorithm in settings, compared over seeds (podtrack help studies)."""

from __future__ import annotations

from typing import Any

from .figure import Figure
from .html import table
from .runs import Runs, Table, find_runs
from .storefile import StoreFile

COLUMNS = ("setting", "variant", "n", "mean", "interval_low", "interval_high", "iqm", "baseline", "difference",
           "difference_low", "difference_high", "p", "verdict")

TYPES = dict.fromkeys(COLUMNS, float) | dict.fromkeys(("setting", "variant", "baseline", "verdict"), str) | {"n": int}


class Study:
    """A study of a store, as it was when it was compared.

    Attributes
    ----------
    name
        Its name.
    json
        What ``podtrack compare study=NAME --json`` prints.
    """

    def __init__(self, store: StoreFile, name: str) -> None:
        self._store, self.name = store, name
        self.json: dict[str, Any] = store.binary.json(["compare", self.term, "--json", *store.flags])

    @property
    def store(self) -> Any:
        """Its store, a :class:`podtrack.Store`."""
        return self._store

    @property
    def term(self) -> str:
        """The filter that finds its runs."""
        return "study=" + self.name

    @property
    def complete(self) -> bool:
        """Whether all of its runs are complete; before that its verdicts are preliminary."""
        return bool(self.json["complete"] >= self.json["planned"])

    def runs(self, *filters: str) -> Runs:
        """Returns its runs, or those that filters such as ``"variant=pod"`` find among them."""
        return find_runs(self._store, self.term, *filters)

    def to_dicts(self) -> Table:
        """Returns a row for each variant in each setting and baseline that it is compared with: the outcome's mean with
        its interval, and the difference from the baseline with its own, the adjusted p-value and the verdict."""
        return Table((row for setting in self.json["settings"] for variant in setting["variants"]
                      for row in rows_of(setting, variant)), TYPES, COLUMNS)

    def to_pandas(self) -> Any:
        """Returns these rows as a pandas.DataFrame."""
        return self.to_dicts().to_pandas()

    def plot(self, kind: str = "outcomes", *flags: str) -> Figure:
        """Draws a figure of the study, by default of its outcomes."""
        return self._store.plot(kind, self.term, *flags)

    def __str__(self) -> str:
        return self._store.binary.run(["compare", self.term, *self._store.flags]).decode()

    def __repr__(self) -> str:
        return "<Study %s: %d of %d runs complete>" % (self.name, self.json["complete"], self.json["planned"])

    def _repr_html_(self) -> str:
        title = "Study %s, %d of %d runs complete" % (self.name, self.json["complete"], self.json["planned"])
        return table(COLUMNS, [[row[name] for name in COLUMNS] for row in self.to_dicts()], title)


def rows_of(setting: dict[str, Any], variant: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the rows of a variant in a setting."""
    row = {"setting": setting["name"], "outcome": setting["outcome"], "variant": variant["name"],
           **{name: variant.get(name) for name in COLUMNS[2:7]}}
    compared = []
    for each in variant["against"]:
        difference = each["difference"] or {}
        compared.append({"baseline": each["baseline"], "difference": difference.get("value"),
                         "difference_low": difference.get("interval_low"),
                         "difference_high": difference.get("interval_high"), "p": each["p_adjusted"],
                         "verdict": each["verdict"]})
    return [{**row, **each} for each in compared or [dict.fromkeys(COLUMNS[7:])]]
