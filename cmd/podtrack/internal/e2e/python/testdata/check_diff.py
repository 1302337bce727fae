"""Checks what diff --json says of two ring runs, on stdin, with their exports: check_diff.py A.npz B.npz BITS HIDE TOLERANCE"""
import itertools
import json
import sys

import numpy as np

from ring import features, follow, good, metric

a, b = np.load(sys.argv[1]), np.load(sys.argv[2])
bits, hide, tolerance = int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
states = 1 << bits
M = metric(features(bits, hide))
checks = 0


def check(got, want, what):
    global checks
    checks += 1
    if abs(got - want) > 1e-9:
        sys.exit(f"iteration {k}: {what} {got}, numpy has {want}")


def choices(q):
    """Which actions are as good as the best and, last, whether to terminate is."""
    some = good(q, tolerance)
    return np.hstack([some, ~some.any(axis=1, keepdims=True)])


def sign_of(ref):
    j, sign = ref.split("/")[1][:-1], ref[-1]
    return 2 * (int(j) - 1) + (sign == "-")


report = json.load(sys.stdin)
for it in report["iterations"]:
    k = it["k"]
    x = {name: a[f"{k}/{name}"] for name in ("eigenpurpose", "policy", "value", "q", "initiation", "state", "S")}
    y = {name: b[f"{k}/{name}"] for name in x}

    # The cosines of all directions, and the best of all assignments by trying them.
    e, f = x["eigenpurpose"][::2], y["eigenpurpose"][::2]
    cosines = np.abs(e @ M @ f.T) / np.sqrt(np.outer(np.einsum("id,de,ie->i", e, M, e), np.einsum("id,de,ie->i", f, M, f)))
    if len(e) > len(f):
        cosines = cosines.T
    best = max(sum(cosines[i, j] for i, j in enumerate(p)) for p in itertools.permutations(range(cosines.shape[1]), len(cosines)))
    check(it["cosine"] * len(cosines), best, "sum of cosines")
    check(len(it["pairs"]), 2 * len(cosines), "pairs")

    # Each pair, as arrays over all states.
    visits = sum(np.bincount(z["state"][:-1], minlength=states) for z in (x, y))
    for pair in it["pairs"]:
        i, j = sign_of(pair["a"]), sign_of(pair["b"])
        v, w = x["eigenpurpose"][i], y["eigenpurpose"][j]
        check(pair["cosine"], v @ M @ w / np.sqrt((v @ M @ v) * (w @ M @ w)), "cosine")
        check(pair["sigma_a"], x["S"][i // 2], "sigma")
        either = (x["policy"][i] >= 0) | (y["policy"][j] >= 0)
        starts, shared = x["initiation"][i] | y["initiation"][j], x["initiation"][i] & y["initiation"][j]
        same = x["policy"][i] == y["policy"][j]
        tied = (choices(x["q"][i]) & choices(y["q"][j])).any(axis=1)
        ends = follow(x["policy"][i]) == follow(y["policy"][j])
        check(pair["policy_agreement"], same[either].mean(), "policy")
        check(pair["policy_agreement_ties"], tied[either].mean(), "policy with ties")
        check(pair["policy_agreement_visits"], (visits * same)[either].sum() / visits[either].sum(), "policy by visits")
        check(pair["initiation_jaccard"], shared.sum() / starts.sum(), "Jaccard index")
        check(pair["terminal_agreement"], ends[either].mean(), "ends")
        apart = x["value"][i] - y["value"][j]
        check(pair["value_rmse"], np.sqrt((apart**2).mean()), "RMSE")
        check(pair["value_max"], np.abs(apart).max(), "largest difference")
        check(pair["differing"], (either & ~same).sum(), "states that differ")

    # The spans, by projections in feature space.
    p, q = (np.linalg.qr(z["eigenpurpose"][::2].T)[0] for z in (x, y))
    m, n = sorted([p.shape[1], q.shape[1]])
    check(it["overlap"], np.linalg.norm(p.T @ q) ** 2 / m - n / len(M), "overlap")
print(len(report["iterations"]), "iterations,", checks, "checks")
