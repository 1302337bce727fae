"""Compute intervals and p-values again, with NumPy and, where it is installed, SciPy.

Reads the JSON of oracle_test.go from stdin. Distributions that NumPy lacks are computed from
their definitions: Student's t from the continued fraction of the incomplete beta function, the
score interval from the roots of its polynomial.
"""

import json
import math
import statistics
import sys

import numpy as np

try:
    import scipy.stats
except ImportError:
    scipy = None

TOLERANCE = 1e-12


def beta_fraction(a, b, x):
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    h = d
    for m in range(1, 10000):
        for step in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + step * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + step / c
            c = c if abs(c) > tiny else tiny
            h *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return h


def two_sided(t, nu):
    """P(|T| > t) of Student's t: the regularised incomplete beta function of ν/2 and ½."""
    if t == 0:
        return 1.0
    a, b, x = nu / 2, 0.5, nu / (nu + t * t)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)) * x**a * (t * t / (nu + t * t)) ** b
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a
    return 1 - front * beta_fraction(b, a, 1 - x) / b


def quantile(level, nu):
    """t with P(|T| > t) = 1 − level, by bisection."""
    low, high = 0.0, 1e6
    while True:
        t = (low + high) / 2
        if t in (low, high):
            return t
        if two_sided(t, nu) > 1 - level:
            low = t
        else:
            high = t


def near(what, got, want, scale=0.0):
    assert abs(got - want) <= TOLERANCE * max(abs(want), scale, 1), (what, got, want)


def score_interval(share, n, m, level):
    """All p with (share − p)² ≤ z²V(p), from the roots of the polynomial."""
    z = statistics.NormalDist().inv_cdf((1 + level) / 2)
    p = np.polynomial.Polynomial([0, 1])
    more = (n + m) / 2 - 1
    # V(p)·nm = p(1 − p)(1 + more((1 − p)/(2 − p) + p/(1 + p))), times (2 − p)(1 + p)
    both = (2 - p) * (1 + p)
    variance = p * (1 - p) * (both + more * ((1 - p) * (1 + p) + p * (2 - p)))
    equation = (share - p) ** 2 * both * (n * m) - z * z * variance
    derivative = equation.deriv()
    roots = []
    for root in equation.roots():
        if abs(root.imag) < 1e-7 and -1e-9 <= root.real <= 1 + 1e-9:
            x = root.real
            for _ in range(50):  # Newton's method, to the last digits
                if derivative(x) == 0:
                    break
                x -= equation(x) / derivative(x)
            roots.append(x)
    return max(min(roots), 0.0), min(max(roots), 1.0)


def check_difference(effect, difference, se, nu, level, scale):
    near("difference", effect["difference"]["value"], difference, scale)
    half = quantile(level, nu) * se
    near("low", effect["difference"]["interval_low"], difference - half, scale + half)
    near("high", effect["difference"]["interval_high"], difference + half, scale + half)
    p = two_sided(abs(difference) / se, nu)
    assert abs(effect["p_value"] - p) <= 1e-11 * p + 1e-15, ("p", effect["p_value"], p)


def check_improvement(effect, a, b, level):
    wins = (b[:, None] > a[None, :]).sum() + 0.5 * (b[:, None] == a[None, :]).sum()
    share = wins / (len(a) * len(b))
    near("improvement", effect["improvement"]["value"], share)
    low, high = score_interval(share, len(a), len(b), level)
    near("improvement, low", effect["improvement"]["interval_low"], low)
    near("improvement, high", effect["improvement"]["interval_high"], high)


def holm(values):
    values = np.array(values)
    order = np.argsort(values)
    scaled = np.minimum(np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)), 1)
    adjusted = np.empty_like(scaled)
    adjusted[order] = scaled
    return adjusted


def check_scipy(q, a, b):
    welch = scipy.stats.ttest_ind(b, a, equal_var=False)
    assert abs(q["Welch"]["p_value"] - welch.pvalue) <= 1e-11 * welch.pvalue + 1e-15, (q["Welch"], welch)
    pairs = scipy.stats.ttest_rel(b, a)
    assert abs(q["Pairs"]["p_value"] - pairs.pvalue) <= 1e-11 * pairs.pvalue + 1e-15, (q["Pairs"], pairs)
    # SciPy's quantile of Student's t has 11 digits in some versions, its tail has all.
    se = scipy.stats.sem(b)
    for end in ("interval_low", "interval_high"):
        assert abs(2 * scipy.stats.t.sf(abs(q["Mean"][end] - b.mean()) / se, len(b) - 1) - 0.05) < TOLERANCE, (end, q)
    wins = scipy.stats.mannwhitneyu(b, a).statistic
    near("SciPy's U", q["Welch"]["improvement"]["value"], wins / (len(a) * len(b)))
    share = scipy.stats.binomtest(q["Successes"], 40).proportion_ci(0.95, method="wilson")
    near("SciPy's Wilson, low", q["Low"], share.low)
    near("SciPy's Wilson, high", q["High"], share.high)


questions = json.load(sys.stdin)
for q in questions:
    a, b, level = np.array(q["A"]), np.array(q["B"]), q["Level"]
    n, scale = len(a), float(np.abs(np.concatenate([a, b])).max())
    half = quantile(0.95, n - 1) * b.std(ddof=1) / math.sqrt(n)
    near("mean", q["Mean"]["mean"], b.mean(), scale)
    near("sd", q["Mean"]["sd"], b.std(ddof=1), scale)
    near("mean, low", q["Mean"]["interval_low"], b.mean() - half, scale + half)
    near("mean, high", q["Mean"]["interval_high"], b.mean() + half, scale + half)
    va, vb = a.var(ddof=1) / n, b.var(ddof=1) / n
    freedom = (va + vb) ** 2 / (va**2 / (n - 1) + vb**2 / (n - 1))
    check_difference(q["Welch"], b.mean() - a.mean(), math.sqrt(va + vb), freedom, level, scale)
    d = b - a
    check_difference(q["Pairs"], d.mean(), d.std(ddof=1) / math.sqrt(n), n - 1, level, scale)
    check_improvement(q["Welch"], a, b, level)
    check_improvement(q["Pairs"], a, b, level)
    z, p = statistics.NormalDist().inv_cdf(0.975), q["Successes"] / 40
    middle, spread = (p + z * z / 80) / (1 + z * z / 40), z * math.sqrt(p * (1 - p) / 40 + z * z / 6400) / (1 + z * z / 40)
    near("Wilson, low", q["Low"], max(middle - spread, 0))
    near("Wilson, high", q["High"], min(middle + spread, 1))
    for got, want in zip(q["Holm"], holm(q["PValues"])):
        near("Holm", got, want)
    near("Bonferroni", q["BonferroniLevel"], 1 - (1 - level) / 3)
    if scipy:
        check_scipy(q, a, b)
print(len(questions), "samples agree, with", "NumPy and SciPy" if scipy else "NumPy")
