"""Prints what podtrack recorded in the form in which pod.c and pod_numpy.py print
what they computed: lines.py MEASURES.csv ARRAYS.npz, both written by podtrack export."""
import csv
import json
import sys

import numpy as np

COLUMNS = ("reading", "hide", "seed", "k", "purposes", "calls", "option_length", "distance", "states_visited", "values", "left", "right")


def measures(path):
    """The measures of each (reading, hide, seed, k), and the run's ID."""
    found = {}
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            key = row["reading"], int(row["hide"]), int(row["seed"]), int(row["k"])
            found.setdefault(key, {"run": row["run"]})[row["metric"]] = row["value"]
    return found


def main(table, archive):
    found, arrays = measures(table), np.load(archive)
    prefixes = {run["run"]: run["prefix"] for run in json.loads(arrays["podtrack.json"].tobytes())["runs"]}
    print(",".join(COLUMNS))
    for key in sorted(found, key=lambda key: (key[0] != "as-written", key)):
        m = found[key]
        prefix = f"{prefixes[m['run']]}{key[3]}/"
        value, policy = arrays[prefix + "value"], arrays[prefix + "policy"]
        total = np.add.accumulate(value.ravel())[-1] if value.size else 0.0  # one after the other, as pod.c adds
        length = m["option_length"] and f"{float(m['option_length']):.17g}"
        print(*key, m["purposes"], m["calls"], length, m["distance"], m["states_visited"], f"{total:.17g}",
              np.count_nonzero(policy == 0), np.count_nonzero(policy == 1), sep=",")


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
