"""Compute rank tests, interquartile means with their bootstrap intervals, and profiles again, with NumPy and SciPy.

Reads the JSON of rank_test.go from stdin. The draws of the bootstrap are those of the document.
"""

import json
import sys
import warnings

import numpy as np
import scipy.stats

TOLERANCE = 1e-12


def near(what, got, want):
    assert abs(got - want) <= TOLERANCE * max(abs(want), 1), (what, got, want)


def rank_sum(a, b):
    if len(a) < 2 or len(b) < 2 or len(set(np.concatenate([a, b]))) == 1:
        return None
    return scipy.stats.mannwhitneyu(b, a).pvalue


def signed_rank(d):
    if len(d) < 2 or not d.any():
        return None
    is_exact = len(d) <= 50 and d.all() and len(set(abs(d))) == len(d)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few pairs
        return scipy.stats.wilcoxon(d, method="exact" if is_exact else "approx").pvalue


def check_p(what, got, want):
    assert (got is None) == (want is None), (what, got, want)
    if want is not None:
        near(what, got, want)


def check_iqm(q, draws):
    b = np.array(q["B"])
    near("IQM", q["IQM"]["value"], scipy.stats.trim_mean(b, 0.25))
    drawn = draws.get(str(len(b)))
    if drawn is None:
        return 0
    means = scipy.stats.trim_mean(np.sort(b)[np.array(drawn)], 0.25, axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    near("IQM, low", q["IQM"]["interval_low"], low)
    near("IQM, high", q["IQM"]["interval_high"], high)
    return 1


document = json.load(sys.stdin)
bootstraps = 0
for q in document["Questions"]:
    a, b = np.array(q["A"]), np.array(q["B"])
    check_p("rank sum", q["RankSum"], rank_sum(a, b))
    n = min(len(a), len(b))
    check_p("signed rank", q["SignedRank"], signed_rank(b[:n] - a[:n]))
    bootstraps += check_iqm(q, document["Draws"])
    assert [p["above"] for p in q["Profile"]] == sorted(set(b)), q
    for p in q["Profile"]:
        near("profile", p["share"], np.mean(b > p["above"]))
print(len(document["Questions"]), "samples agree,", bootstraps, "over the same draws, with SciPy", scipy.__version__)
