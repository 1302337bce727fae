"""Checks an export of ring runs with numpy alone: check_npz.py FILE BITS HIDE GAMMA SWEEPS TOLERANCE CUMULATIVE PREFIX"""
import sys

import numpy as np

from ring import features

path, bits, hide, gamma, sweeps, tolerance, cumulative, prefix = sys.argv[1:9]
bits, hide, gamma, sweeps, tolerance = int(bits), int(hide), float(gamma), int(sweeps), float(tolerance)
z = np.load(path)
states = 1 << bits
phi = features(bits, hide)
dtypes = dict(state="i8", action="i4", option="i4", delta="f8", rows="f8", counts="i8", U="f8", S="f8", Vt="f8",
              eigenpurpose="f8", value="f8", q="f8", policy="i2", initiation="?")
checks = 0


def check(so, what):
    global checks
    checks += 1
    if not so:
        sys.exit(f"iteration {k}: {what}")


k, end, gathered = 0, None, np.empty((0, bits - hide))
while f"{prefix}{k}/state" in z.files:
    a = {name: z[f"{prefix}{k}/{name}"] for name in dtypes}
    n, (u, d), m = len(a["action"]), a["rows"].shape, len(a["eigenpurpose"])
    shapes = dict(state=(n + 1,), option=(n,), delta=(n, d), counts=(u,), U=(u, d), S=(d,), Vt=(d, d), eigenpurpose=(m, d),
                  value=(m, states), q=(m, states, 2), policy=(m, states), initiation=(m, states))
    for name, kind in dtypes.items():
        check(a[name].dtype == np.dtype(kind), f"{name} is {a[name].dtype}")
        check(a[name].shape == shapes.get(name, a[name].shape), f"{name} has shape {a[name].shape}")

    # The walk, and D as differences of the states' features.
    s = a["state"]
    check(end is None or s[0] == end, "the walk does not go on")
    check(np.array_equal((s[:-1] + 2 * a["action"] - 1) % states, s[1:]), "states do not follow from actions")
    check(np.array_equal(a["delta"], phi[s[1:]] - phi[s[:-1]]), "delta")
    gathered = np.vstack([gathered, a["delta"]]) if cumulative == "yes" else a["delta"]
    rows, counts = np.unique(gathered, axis=0, return_counts=True)
    check(np.array_equal(rows, a["rows"]) and np.array_equal(counts, a["counts"]), "distinct rows")

    # The decomposition, against LAPACK's.
    sigma = np.linalg.svd(gathered, compute_uv=False)
    check(np.allclose(sigma, a["S"], rtol=0, atol=1e-10 * sigma[0]), "sigma")
    check(np.allclose(a["U"] * a["S"] @ a["Vt"], a["rows"], rtol=0, atol=1e-12), "U S Vt")

    # Value iteration from the eigenpurposes, by full sweeps.
    for i in range(m):
        w = phi @ a["eigenpurpose"][i]
        moved = np.stack([np.roll(np.arange(states), 1), np.roll(np.arange(states), -1)], axis=1)
        v = np.zeros(states)
        for _ in range(sweeps):
            v = np.maximum(0, (w[moved] - w[:, None] + gamma * v[moved]).max(axis=1))
        q = w[moved] - w[:, None] + gamma * v[moved]
        check(np.allclose(v, a["value"][i], rtol=0, atol=1e-12), f"value of purpose {i}")
        check(np.allclose(q, a["q"][i], rtol=0, atol=1e-12), f"q of purpose {i}")

    # Policy and initiation follow from q.
    best = a["q"].max(axis=2)
    starts = best > tolerance
    lowest = (a["q"] >= best[:, :, None] - tolerance).argmax(axis=2)
    check(np.array_equal(starts, a["initiation"]), "initiation")
    check(np.array_equal(np.where(starts, lowest, -1), a["policy"]), "policy")
    end, k = s[-1], k + 1
print(k, "iterations,", checks, "checks")
