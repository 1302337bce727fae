"""Checks what diff --group --json says of ring runs, on stdin, with their exports.

check_group.py BITS HIDE TOLERANCE A.npz B.npz …, one file for each run, in the order of the report.
"""
import itertools
import json
import math
import sys

import numpy as np
import scipy.cluster.hierarchy
import scipy.optimize
import scipy.special

from ring import features, follow, good, metric

bits, hide, tolerance = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
files = [np.load(name) for name in sys.argv[4:]]
report = json.load(sys.stdin)
states = 1 << bits
phi = features(bits, hide)
M = metric(phi)
iterations = range(len(report["iterations"]) // 2)


def student(freedom):
    """The 97.5 % quantile of Student's t. That of scipy.stats has ten digits."""
    return math.sqrt(freedom * (1 / scipy.special.betaincinv(freedom / 2, 0.5, 0.05) - 1))


def check(what, got, want, slack=1e-12):
    if got is None or not math.isclose(got, want, rel_tol=slack, abs_tol=slack):
        sys.exit(f"{what}: {got}, not {want}")


class Thing:
    """A direction or an option: by run and iteration, with its name in the report."""

    def __init__(self, run, k, name, **has):
        self.run, self.k, self.name = run, k, f"{report['runs'][run]['label']}:{k}/{name}"
        self.__dict__.update(has)


visits = np.zeros(states)
directions, options = [], []
for run, f in enumerate(files):
    for k in iterations:
        visits += np.bincount(f[f"{k}/state"][:-1], minlength=states)
        for i, v in enumerate(f[f"{k}/eigenpurpose"]):
            name = f"{i // 2 + 1}{'+-'[i % 2]}"
            if i % 2 == 0:
                directions.append(Thing(run, k, name, vector=v))
            options.append(Thing(run, k, name, starts=f[f"{k}/initiation"][i].astype(bool),
                                 good=good(f[f"{k}/q"][i], tolerance), ends=follow(f[f"{k}/policy"][i])))


def cosine(a, b):
    return abs(a.vector @ M @ b.vector) / math.sqrt((a.vector @ M @ a.vector) * (b.vector @ M @ b.vector))


def similarity(a, b):
    same = a.starts & b.starts & (a.good & b.good).any(axis=1) & (a.ends == b.ends)
    return visits[same].sum() / visits[a.starts | b.starts].sum()


def matrix(things, measure):
    x = np.eye(len(things))
    for i, j in itertools.combinations(range(len(things)), 2):
        x[i, j] = x[j, i] = measure(things[i], things[j])
    return x


def matched(x, a, b):
    """The similarities of an optimal matching of two sets."""
    of = x[np.ix_(a, b)]
    return of[scipy.optimize.linear_sum_assignment(of, maximize=True)]


def check_kind(kind, things, x, threshold, distinct, similar):
    sets = {(run, k): [i for i, t in enumerate(things) if (t.run, t.k) == (run, k)]
            for run in range(len(files)) for k in iterations}

    # By iteration: mean over pairs of runs, and the jackknife.
    for row in (r for r in report["iterations"] if r["of"] == kind):
        runs = [run for run in range(len(files)) if sets[run, row["k"]]]
        means = {(a, b): matched(x, sets[a, row["k"]], sets[b, row["k"]]).mean() for a, b in itertools.combinations(runs, 2)}
        observed, n = np.mean(list(means.values())), len(runs)
        check(f"observed, {kind} {row['k']}", row["observed"], observed)
        without = np.array([np.mean([m for pair, m in means.items() if run not in pair]) for run in runs])
        half = student(n - 1) * math.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
        check("low", row["low"], max(0, observed - half))
        check("high", row["high"], min(1, observed + half))

    # Run by run.
    for a, b in itertools.combinations(range(len(files)), 2):
        check(f"{kind} of runs {a} and {b}", similar[a][b],
              np.concatenate([matched(x, sets[a, k], sets[b, k]) for k in iterations]).mean())

    # The cover: always what most runs share, then what has most members, then the first.
    near = x >= threshold
    if np.abs(x - threshold).min() < 1e-9:
        sys.exit("a similarity is too close to the threshold to tell")
    runs_of = [{things[j].run for j in np.flatnonzero(row)} for row in near]
    covered, cover = np.zeros(len(things), bool), {}
    for i in sorted(range(len(things)), key=lambda i: (-len(runs_of[i]), -near[i].sum(), i)):
        if not covered[i]:
            cover[things[i].name] = i
            covered |= near[i]
    if set(cover) != {d["name"] for d in distinct}:
        sys.exit(f"{kind}: {sorted(d['name'] for d in distinct)}, not {sorted(cover)}")
    for d in distinct:
        i = cover[d["name"]]
        found = [min((things[j].k for j in np.flatnonzero(near[i]) if things[j].run == run), default=None)
                 for run in range(len(files))]
        if (d["members"], d["runs"], d["found"]) != (near[i].sum(), len(runs_of[i]), found):
            sys.exit(f"{d}, not {near[i].sum()} members of {runs_of[i]}: {found}")
    most = max(len(r) for r in runs_of)
    if distinct[0]["runs"] != most:
        sys.exit(f"{kind}: shared by {distinct[0]['runs']}, not {most}")


check_kind("purposes", directions, matrix(directions, cosine), report["threshold"], report["purposes"], report["similarity"])
o = report["options"]
check_kind("options", options, matrix(options, similarity), o["threshold"], o["distinct"], o["similarity"])


def learn(direction):
    """The option that value iteration makes of a direction."""
    places = np.arange(states)
    after = np.stack([np.roll(places, 1), np.roll(places, -1)], axis=1)
    w = phi @ direction
    reward, v = w[after] - w[:, None], np.zeros(states)
    for _ in range(spec["sweeps"]):
        v = np.maximum(0, (reward + spec["gamma"] * v[after]).max(axis=1))
    q = reward + spec["gamma"] * v[after]
    best = good(q, tolerance)
    policy = np.where(best.any(axis=1), best.argmax(axis=1), -1)
    return Thing(0, 0, "random", starts=policy >= 0, good=best, ends=follow(policy))


def most_by_chance(random):
    """How many runs share the most common option where every set of every run is a random one."""
    group = []
    for run in range(len(files)):
        for k in iterations:
            size = sum((o.run, o.k) == (run, k) for o in options)
            basis = np.linalg.qr(random.standard_normal((phi.shape[1], size // 2)))[0].T
            for direction in basis:
                for sign in (1, -1):
                    option = learn(sign * direction)
                    option.run = run
                    group.append(option)
    near = matrix(group, similarity) >= o["threshold"]
    return max(len({group[j].run for j in np.flatnonzero(row)}) for row in near)


for row in report["iterations"]:
    check("excess", row["excess"], row["observed"] - row["chance"])
    if not row["excess_low"] <= row["excess"] <= row["excess_high"]:
        sys.exit(f"an interval without its value: {row}")
if report["sharing"]["most"] != o["distinct"][0]["runs"]:
    sys.exit(f"{report['sharing']}, not {o['distinct'][0]['runs']}")
spec = json.loads(files[0]["podtrack.json"].tobytes())["runs"][0]["spec"]
drawn = np.array([most_by_chance(np.random.default_rng(seed)) for seed in range(20)])
if abs(report["sharing"]["chance_mean"] - drawn.mean()) > 3 * max(drawn.std(), 0.1):
    sys.exit(f"{report['sharing']}, but other random sets have {drawn}")
print(f"the most common by chance: {report['sharing']['chance_mean']:.2f} and {drawn.mean():.2f} (sd {drawn.std():.2f})")
print(f"{len(directions)} directions and {len(options)} options agree")
