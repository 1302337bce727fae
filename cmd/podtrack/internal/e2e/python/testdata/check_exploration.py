"""Computes the measures of exploration of an export with numpy alone, from states, episodes and initiation sets:
check_exploration.py FILE STATES, STATES being how many can be reached, or - where that is not known."""
import json
import sys

import numpy as np

z = np.load(sys.argv[1])
total = None if sys.argv[2] == "-" else int(sys.argv[2])
about = json.loads(bytes(z["podtrack.json"]))
names = about["arrays"]["exploration"]["meaning"].split(": ")[1].split(", ")
first, steps, worst, k = {}, 0, 0.0, 0


def jaccard(sets):
    """The mean over pairs of the sizes of intersections as shares of those of unions."""
    shares = [1.0 if not (a | b).any() else (a & b).sum() / (a | b).sum() for i, a in enumerate(sets) for b in sets[:i]]
    return float(np.mean(shares)) if shares else np.nan


while f"{k}/state" in z.files:
    states = z[f"{k}/state"]
    resets = {int(at): int(s) for at, s, _ in z[f"{k}/episode"]} if f"{k}/episode" in z.files else {}
    visits, fresh = [], []
    for t, s in enumerate(states):
        for s in [int(s)] + ([resets[t]] if t in resets and t > 0 else []):
            visits.append(s)
            if s not in first:
                first[s] = steps + t
                fresh.append((s, steps + t))
    steps += len(states) - 1
    _, counts = np.unique(visits, return_counts=True)
    p = counts / counts.sum()
    entropy = float(-(p * np.log2(p)).sum())
    times = sorted(first.values())
    initiation = z[f"{k}/initiation"]

    def when(share):
        if total is None:
            return np.nan
        n = int(np.ceil(share * total))
        return times[n - 1] if n <= len(times) else np.nan

    want = dict(covered=len(first), covered_share=len(first) / total if total else np.nan, new_states=len(fresh),
                entropy=entropy, entropy_normalised=entropy / np.log2(total) if total else np.nan,
                steps_to_quarter=when(0.25), steps_to_half=when(0.5), steps_to_all=when(1),
                end_sets=len({(~i).tobytes() for i in initiation}) if len(initiation) else np.nan,
                initiation_overlap=jaccard(initiation), termination_overlap=jaccard(~initiation),
                start_share=initiation.any(axis=0).mean() if len(initiation) else np.nan)
    got = dict(zip(names, z[f"{k}/exploration"]))
    if not set(got) >= set(want):
        sys.exit(f"the measures are {names}")
    for name, value in want.items():
        if np.isnan(value) != np.isnan(got[name]) or not np.isnan(value) and abs(value - got[name]) > 1e-9:
            sys.exit(f"iteration {k}: {name} is {got[name]}, numpy has {value}")
        if not np.isnan(value):
            worst = max(worst, abs(value - got[name]))
    if not np.array_equal(z[f"{k}/first_visit"], np.array(fresh, dtype="i8").reshape(-1, 2)):
        sys.exit(f"iteration {k}: first visits")
    k += 1
print(f"{k} iterations, {len(names)} measures")
