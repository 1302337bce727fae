"""Runs the cycle of covering eigenoptions again, with numpy alone, from the steps that an export has: check_rod.py FILE.
The runs are in four rooms. The model of the rooms, the successor representation in its passes, its symmetric part, the
largest eigenvalue with its vector, the sign, values, initiation sets and policies are computed here, from the definitions
of the ROD cycle (Machado, Barreto, Precup & Bowling 2023). Numbers agree to 1e-9; the sign, the sets and the policies
exactly, but where a q ties."""
import json
import sys

import numpy as np

from rooms import rooms

EPS, ALPHA = 1e-9, 0.1
z = np.load(sys.argv[1])
AFTER, FIRST = rooms()
STATES = len(AFTER)


def learn(psi, states, passes, gamma):
    """TD(0) over the steps of an iteration, as often as there are passes."""
    for _ in range(passes):
        for s, t in zip(states[:-1], states[1:]):
            target = gamma * psi[t]
            target[s] += 1
            psi[s] += ALPHA * (target - psi[s])


def direction(psi, touched):
    """The largest eigenvalue of the symmetric part, the magnitudes of all, and the vector with a sum under 0."""
    part = np.zeros((STATES, STATES))
    inside = np.ix_(touched, touched)
    part[inside] = ((psi + psi.T) / 2)[inside]
    values, vectors = np.linalg.eigh(part[inside])
    e = np.zeros(STATES)
    e[touched] = vectors[:, -1] * (-1 if vectors[:, -1].sum() > 0 else 1)
    return part[inside], values, e


def value_iteration(e, spec):
    """v after the sweeps, and q."""
    reward, v = e[AFTER] - e[:, None], np.zeros(STATES)
    for _ in range(spec["sweeps"]):
        v = np.maximum(0, (reward + spec["gamma"] * v[AFTER]).max(axis=1))
    return v, reward + spec["gamma"] * v[AFTER]


def check(so, what):
    if not so:
        sys.exit(what)


def close(a, b, scale=1.0):
    return a.shape == b.shape and np.abs(a - b).max() <= EPS * max(1, scale)


def check_run(prefix, spec):
    """Compares the iterations of a run, and returns their number and that of the other signs by its visits alone."""
    psi, visited, k, others = np.zeros((STATES, STATES)), set(), 0, 0
    while f"{prefix}{k}/state" in z.files:
        at = f"{prefix}{k}: "
        array = lambda name: z[f"{prefix}{k}/{name}"]
        states, actions = array("state").astype(int), array("action").astype(int)
        check(states[0] == FIRST, at + "it does not begin in the first state")
        check(np.array_equal(AFTER[states[:-1], actions], states[1:]), at + "the steps of the rooms")
        visited |= set(states.tolist())
        touched = sorted(visited)
        check(np.array_equal(array("column"), touched), at + "the visited states")
        learn(psi, states, spec.get("psi_passes", 1), spec.get("psi_gamma") or spec["gamma"])
        part, eigenvalues, e = direction(psi, touched)
        own = np.repeat(array("rows"), array("counts"), axis=0)
        order = lambda m: m[np.lexsort(np.round(m, 7).T[::-1])]
        check(close(order(own), order(part), part.max()), at + "the symmetric part")
        magnitudes = np.sort(np.abs(eigenvalues))[::-1]
        check(close(array("S"), magnitudes, magnitudes[0]), at + "singular values")
        check(magnitudes[0] == eigenvalues[-1], at + "an eigenvalue below 0 has the largest magnitude")
        purpose = array("eigenpurpose")
        check(purpose.shape == (1, STATES), at + "more than one purpose")
        check(purpose[0].max() < EPS and purpose[0].sum() < 0, at + "the sign")
        check(close(purpose[0], e), at + f"the direction: {np.abs(purpose[0] - e).max()}")
        v, q = value_iteration(e, spec)
        check(close(array("value")[0], v) and close(array("q")[0], q), at + "values")
        starts, policy, best = array("initiation")[0], array("policy")[0].astype(int), q.max(axis=1)
        clear = np.abs(best - spec["tolerance"]) > EPS / 10
        check(np.array_equal(starts[clear], best[clear] > spec["tolerance"]), at + "the initiation set")
        check(np.all((policy >= 0) == starts), at + "the policy's states")
        top = np.sort(q, axis=1)
        single = starts & (top[:, -1] - top[:, -2] > 1e-12)
        check(np.array_equal(policy[single], q[single].argmax(axis=1)), at + "the policy")
        check(np.all(q[starts, policy[starts]] >= best[starts] - 1e-12), at + "the policy where actions tie")
        counts = np.bincount(states, minlength=STATES)
        seen = counts > 0
        others += purpose[0] @ (counts / counts.sum() - seen / seen.sum()) > 0
        k += 1
    return k, others


runs, iterations, others = 0, 0, 0
for r in json.loads(bytes(z["podtrack.json"]))["runs"]:
    k, n = check_run(r["prefix"], {k: r[k] for k in r if k != "spec"} | r.get("spec", {}))
    runs, iterations, others = runs + 1, iterations + k, others + n
print(runs, "runs,", iterations, "iterations;", others, "signs would differ by the iteration's visits")
