"""Recompute what compare prints from what export writes, with Python's standard
library alone.

usage: check_csv.py EXPORT.csv COMPARE.csv FIELD A B

EXPORT.csv is export's, COMPARE.csv what compare printed of the runs whose FIELD is
A and those whose FIELD is B, paired by seed.
"""

import csv
import statistics
import sys

export, compared, field, *names = sys.argv[1:]


def number(text):
    return float(text) if text else None


values = {}  # (group, metric, k) -> seed -> value
with open(export, newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        assert len(row["run"]) == 64 and None not in row and None not in row.values(), row
        cell = values.setdefault((row[field], row["metric"], int(row["k"])), {})
        assert row["seed"] not in cell, row
        cell[row["seed"]] = number(row["value"])


def summary(sample):
    """The columns of a group, None where they are not defined."""
    n = len(sample)
    if n == 0:
        return {"n": 0}
    ordered = sorted(sample)
    kept = ordered[n // 4 : n - n // 4]
    want = {"n": n, "mean": statistics.fmean(sample), "min": ordered[0], "max": ordered[-1], "median": statistics.median(sample)}
    want["iqm"] = statistics.fmean(kept)
    if n > 1:
        want["sd"] = statistics.stdev(sample)
        want["se"] = want["sd"] / n**0.5
        want["q1"], _, want["q3"] = statistics.quantiles(sample, n=4, method="inclusive")
    return want


def near(got, want):
    return (got is None) == (want is None) and (got is None or abs(got - want) <= 1e-9 * max(1, abs(want)))


rows = 0
with open(compared, newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        rows += 1
        a, b = (values[name, row["measure"], int(row["k"])] for name in names)
        group = {"a": a, "b": b}[row["group"]]
        want = summary([x for x in group.values() if x is not None])
        for name in ("n", "mean", "sd", "se", "min", "q1", "median", "q3", "max", "iqm"):
            assert near(number(row[name]), want.get(name)), (row, name, want)
        difference = improvement = None
        pairs = []
        if group is b:
            pairs = [(a[s], b[s]) for s in a if s in b and a[s] is not None and b[s] is not None]
            assert int(row["pairs"]) == len(pairs), row
        if pairs:
            difference = statistics.fmean(y - x for x, y in pairs)
            won = sum((y > x) + (y == x) / 2 for x, _ in pairs for _, y in pairs)
            improvement = won / len(pairs) ** 2
        assert near(number(row["difference"]), difference), (row, difference)
        assert near(number(row["improvement"]), improvement), (row, improvement)
        for name in ("difference", "improvement"):
            low, high = (number(row[name + "_interval_" + end]) for end in ("low", "high"))
            assert (low is None) == (len(pairs) < 2) and (low is None or low <= high), row
print(rows, "rows agree")
