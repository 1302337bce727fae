"""Compute the comparison of a study again with NumPy and SciPy, from the outcomes of its runs.

check_study.py COMPARISON.json LS.csv: what compare study=NAME --json and ls study=NAME print. Variants share their seeds,
so that runs are paired; p-values are adjusted over the comparisons of all settings, and of those over the settings of
a part by themselves.
"""

import csv
import json
import sys
import warnings

import numpy as np
import scipy.stats

warnings.simplefilter("ignore")  # of few pairs


def near(what, got, want):
    assert (got is None) == (want is None), (what, got, want)
    assert got is None or abs(got - want) <= 1e-12 * max(abs(want), 1), (what, got, want)


def holm(values):
    """Adjust the p-values that are not None; the others count as 1."""
    known = [i for i, p in enumerate(values) if p is not None]
    adjusted, most = list(values), 0.0
    for rank, i in enumerate(sorted(known, key=lambda i: values[i])):
        most = max(most, min(1, (len(values) - rank) * values[i]))
        adjusted[i] = most
    return adjusted


def rank_test(d):
    if not d.any():
        return None
    is_exact = d.all() and len(set(abs(d))) == len(d)
    return scipy.stats.wilcoxon(d, method="exact" if is_exact else "approx").pvalue


with open(sys.argv[1]) as f:
    comparison = json.load(f)
with open(sys.argv[2]) as f:
    listed = {(r["setting"], r["variant"], int(r["seed"])): r for r in csv.DictReader(f)}
against, p_values, ranks = [], [], []
samples = {}
for setting in comparison["settings"]:
    outcomes = {}
    for v in setting["variants"]:
        for o in v["outcomes"]:
            row = listed[setting["name"], v["name"], o["seed"]]
            if setting["outcome"] == "steps_to_half":  # which a run that did not get there lacks
                assert float(row["steps_to_half"] or o["value"]) == o["value"], (row, o)
            else:
                assert float(row.pop(setting["outcome"])) == o["value"], (row, o)
        x = outcomes[v["name"]] = np.array([o["value"] for o in sorted(v["outcomes"], key=lambda o: o["seed"])])
        if "part" in setting:
            samples[setting["name"], v["name"]] = x
        near("mean", v["mean"], x.mean())
        near("IQM", v["iqm"], scipy.stats.trim_mean(x, 0.25))
        assert v["iqm_interval_low"] <= v["iqm"] <= v["iqm_interval_high"], v
        for point in v["profile"]:
            near("profile", point["share"], (x > point["above"]).mean())
        for a in v["against"]:
            d = x - outcomes[a["baseline"]]
            near("difference", a["difference"]["value"], d.mean())
            wins = np.sign(x[:, None] - outcomes[a["baseline"]][None, :])
            near("P(more)", a["improvement"]["value"], (wins.mean() + 1) / 2)
            assert a["pairs"] == len(d), a
            against.append(a)
            p_values.append(float(scipy.stats.ttest_rel(x, outcomes[a["baseline"]]).pvalue) if d.std() else None)
            ranks.append(rank_test(d))
assert all(("covered" in r) != ("distance" in r) for r in listed.values()), listed
for a, p, adjusted, rank, of_ranks in zip(against, p_values, holm(p_values), ranks, holm(ranks)):
    near("p", a["p_value"], p)
    near("adjusted p", a["p_adjusted"], adjusted)
    near("rank p", a["rank_p_value"], rank)
    near("adjusted rank p", a["rank_p_adjusted"], of_ranks)

# Over the settings of a part: the mean probability of improvement, van Elteren's test, and scores.
(part,) = comparison["overall"]
assert part["settings"] == ["ring", "rooms"], part
of_parts, p_values = [], []
for v in part["variants"]:
    scores = [samples[s, v["name"]] / samples[s, "pod"].mean() for s in part["settings"]]
    near("score", v["score"]["value"], scipy.stats.trim_mean(np.concatenate(scores), 0.25))
    assert v["score"]["interval_low"] <= v["score"]["value"] <= v["score"]["interval_high"], v
    for a in v["against"]:
        shares, variances = [], []
        for s in part["settings"]:
            x, y = samples[s, a["baseline"]], samples[s, v["name"]]
            shares.append((np.sign(y[:, None] - x[None, :]).mean() + 1) / 2)
            ranks = scipy.stats.rankdata(np.concatenate([x, y]))
            variances.append(np.var(ranks, ddof=1) / (len(ranks) * len(x) * len(y)))
        near("P(better)", a["improvement"]["value"], np.mean(shares))
        z = abs(np.sum(shares) - len(shares) / 2) / np.sqrt(np.sum(variances))
        of_parts.append(a)
        p_values.append(float(2 * scipy.stats.norm.sf(z)))
for a, p, adjusted in zip(of_parts, p_values, holm(p_values)):
    near("overall p", a["p_value"], p)
    near("adjusted overall p", a["p_adjusted"], adjusted)
print(len(against), "comparisons agree,", len(of_parts), "over settings")
