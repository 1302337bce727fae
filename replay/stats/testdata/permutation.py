"""Compute the mean over pairs, its interval and permutation p-values again, with NumPy and SciPy.

Reads the JSON of permutation_oracle_test.go from stdin, with the draws of each test.
"""

import itertools
import json
import math
import sys

import numpy as np
import scipy.special

TOLERANCE = 1e-12


def student(freedom):
    """The 97.5 % quantile of Student's t. That of scipy.stats has ten digits."""
    return math.sqrt(freedom * (1 / scipy.special.betaincinv(freedom / 2, 0.5, 0.05) - 1))


def mean_over_pairs(matrix, members):
    return np.mean([matrix[i, j] for i, j in itertools.combinations(members, 2)])


def chance(matrix, strata, left=None):
    """The mean of reference members, each pair of strata weighted by its pairs of observed members."""
    total = weight = 0
    for i, a in enumerate(strata):
        for j, b in enumerate(strata[: i + 1]):
            pairs = a["Observed"] * (a["Observed"] - 1) / 2 if i == j else a["Observed"] * b["Observed"]
            of_a = [m for m in a["Members"][a["Observed"] :] if m != left]
            of_b = [m for m in b["Members"][b["Observed"] :] if m != left]
            block = matrix[np.ix_(of_a, of_b)]
            mean = block[np.tril_indices(len(of_a), -1)].mean() if i == j else block.mean()
            total, weight = total + pairs * mean, weight + pairs
    return total / weight


def jackknife(without):
    n = len(without)
    return (n - 1) / n * ((np.array(without) - np.mean(without)) ** 2).sum()


def check(what, got, want):
    if not math.isclose(got, want, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
        sys.exit(f"{what}: {got}, not {want}")


tests = json.load(sys.stdin)
for test in tests:
    matrix = np.array(test["Similarity"])
    observed = [m for s in test["Strata"] for m in s["Members"][: s["Observed"]]]
    n = len(observed)

    mean = mean_over_pairs(matrix, observed)
    check("mean", test["Mean"]["value"], mean)
    without = np.array([mean_over_pairs(matrix, observed[:i] + observed[i + 1 :]) for i in range(n)])
    half = student(n - 1) * math.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    check("low", test["Mean"]["interval_low"], mean - half)
    check("high", test["Mean"]["interval_high"], mean + half)

    level = chance(matrix, test["Strata"])
    check("chance", test["Chance"], level)
    check("excess", test["Excess"]["value"], mean - level)
    variance, of_chance, freedom = jackknife(without), 0, 0
    for s in test["Strata"]:
        references = s["Members"][s["Observed"] :]
        of_chance += jackknife([chance(matrix, test["Strata"], left) for left in references])
        freedom += len(references) - 1
    freedom = (variance + of_chance) ** 2 / (variance**2 / (n - 1) + of_chance**2 / freedom)
    half = student(freedom) * math.sqrt(variance + of_chance)
    check("excess low", test["Excess"]["interval_low"], mean - level - half)
    check("excess high", test["Excess"]["interval_high"], mean - level + half)

    for draw in test["Drawn"]:
        left = list(draw)
        for s in test["Strata"]:
            of, left = left[: s["Observed"]], left[s["Observed"] :]
            if len(set(of)) < len(of) or not set(of) <= set(s["Members"]):
                sys.exit(f"{draw} is no draw from {test['Strata']}")
    means = np.array([mean_over_pairs(matrix, draw) for draw in test["Drawn"]])
    check("p", test["P"], (1 + np.count_nonzero(means >= mean - 1e-12)) / (1 + len(means)))
print(f"{len(tests)} tests agree")
