"""Checks the description in an export with numpy alone, shapes included: check_about.py FILE"""
import json
import sys

import numpy as np

z = np.load(sys.argv[1])
about = json.loads(z["podtrack.json"].tobytes())
left = set(z.files) - {"podtrack.json"}
arrays = 0
for run in about["runs"]:
    if len(run["run"]) != 64 or run["seed"] != run["spec"]["seed"] or about["versions"]["numerics"] < run["spec"]["numerics"]:
        sys.exit(f"run {run}")
    for k in range(run["iterations"]):
        sizes = {"S": run["states"], "A": len(run["actions"]), "d": run["features"], "n": run["spec"]["steps"]}
        for name, described in about["arrays"].items():
            key = f"{run['prefix']}{k}/{name}"
            if key not in z.files:
                continue
            left.remove(key)
            arrays += 1
            a = z[key]
            if a.dtype != np.dtype(described["dtype"]) or a.ndim != len(described["shape"]):
                sys.exit(f"{key} is {a.dtype} of shape {a.shape}, not {described}")
            for axis, size in zip(described["shape"], a.shape):
                letter = axis[0]
                if letter in about["dimensions"] and axis == letter:
                    sizes.setdefault(letter, size)
                if size != eval(axis, {}, sizes):
                    sys.exit(f"{key}: the axis {axis} has {size}, not {sizes}")
if left:
    sys.exit(f"not described: {left}")
print(len(about["runs"]), "run" + "s" * (len(about["runs"]) > 1) + ",", arrays, "arrays")
