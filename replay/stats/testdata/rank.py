"""Compute rank tests, interquartile means with their bootstrap intervals, and profiles again, with NumPy and SciPy.

Reads the JSON of rank_test.go from stdin. The draws of the bootstrap are those of the document.
"""

import json
import sys
import warnings

import numpy as np
import scipy.optimize
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


def distance(a, b, level, sign):
    """How far Newcombe's score interval lies above (1) or below (-1) P(b > a) + P(b = a)/2."""
    share = np.mean([(y > x) + (y == x) / 2 for x in a for y in b])
    z = scipy.stats.norm.ppf((1 + level) / 2)
    pairs, others = len(a) * len(b), (len(a) + len(b)) / 2 - 1

    def beyond(p):
        variance = p * (1 - p) * (1 + others * ((1 - p) / (2 - p) + p / (1 + p))) / pairs
        return (share - p) ** 2 - z * z * variance

    at = 1.0 if sign > 0 else 0.0
    if share == at:
        return share, 0.0
    outside = at - sign * 1e-300
    return share, abs(scipy.optimize.brentq(beyond, share, outside, xtol=1e-15, rtol=1e-14) - share)


def check_strata(s):
    """The mean over strata of P(b > a), its interval, van Elteren's test, and the stratified bootstrap."""
    shares, below, above, variances = [], [], [], []
    for x in s["Samples"]:
        a, b = np.array(x["A"]), np.array(x["B"])
        share, low = distance(a, b, s["Level"], -1)
        _, high = distance(a, b, s["Level"], 1)
        ranks = scipy.stats.rankdata(np.concatenate([a, b]))
        n, m = len(a), len(b)  # of all orders of these ranks
        variances.append(np.var(ranks, ddof=1) / (n * m * n * m) * n * m / (n + m))
        shares.append(share)
        below.append(low)
        above.append(high)
    mean, k = np.mean(shares), len(shares)
    near("improvement over strata", s["Improvement"]["value"], mean)
    near("its low end", s["Improvement"]["interval_low"], mean - np.linalg.norm(below) / k)
    near("its high end", s["Improvement"]["interval_high"], mean + np.linalg.norm(above) / k)
    near("van Elteren's p", s["P"], 2 * scipy.stats.norm.sf(abs(sum(shares) - k / 2) / np.sqrt(sum(variances))))
    values = np.concatenate([np.sort(x["B"]) for x in s["Samples"]])
    means = scipy.stats.trim_mean(values[np.array(s["Draws"])], 0.25, axis=1)
    near("IQM of strata", s["IQM"]["value"], scipy.stats.trim_mean(values, 0.25))
    low, high = np.percentile(means, [2.5, 97.5])
    near("IQM of strata, low", s["IQM"]["interval_low"], low)
    near("IQM of strata, high", s["IQM"]["interval_high"], high)


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
for s in document["Strata"]:
    check_strata(s)
print(len(document["Questions"]), "samples agree,", bootstraps, "over the same draws, with SciPy", scipy.__version__)
