"""Make the dendrograms of dendrogram_test.go, which come on stdin, with SciPy."""

import json
import sys

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

all = json.load(sys.stdin)
for made in all:
    distance = 1 - np.array(made["Similarity"])
    np.fill_diagonal(distance, 0)
    want = hierarchy.linkage(squareform(distance), "average")
    got = np.array([[m["a"], m["b"], m["height"], m["runs"]] for m in made["Dendrogram"]["merges"]])
    if not (got[:, [0, 1, 3]] == want[:, [0, 1, 3]]).all() or np.abs(got[:, 2] - want[:, 2]).max() > 1e-12:
        sys.exit(f"{got}\nis not\n{want}")
    if made["Dendrogram"]["leaves"] != hierarchy.leaves_list(want).tolist():
        sys.exit(f"{made['Dendrogram']['leaves']} is not {hierarchy.leaves_list(want)}")
print(f"{len(all)} dendrograms agree")
