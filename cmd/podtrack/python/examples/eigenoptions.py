"""A variant of eigenoptions: directions that no earlier option follows, and a learner that sweeps until
nothing changes. It is recorded, killed, resumed, replayed, compared with podtrack's own stages, and
audited:

    python3 eigenoptions.py [FOLDER]
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import podtrack

SIMILAR = 0.9  # |cosine| from which on a direction is known
CHANGE = 1e-12  # of a value, at which sweeping ends
SPEC: dict[str, Any] = dict(env="grid:four-rooms", steps=2000, seed=3, kappa=1, iterations=4)
KILLED = "EIGENOPTIONS_KILLED"  # the variable with the iteration in which this process kills itself


@podtrack.select(version="1", parameters={"similar": SIMILAR})
def unfollowed(d: podtrack.SelectInput) -> podtrack.Selection:
    """Keeps directions above κ that are unlike the purposes of all options so far."""
    above = d.sigma > d.spec["kappa"]
    likeness, nearest = np.zeros(len(d.sigma)), np.full(len(d.sigma), -1)
    if d.options and len(d.sigma):
        cosines = np.abs(d.vectors @ np.array([option.vector for option in d.options]).T)
        best = cosines.argmax(axis=1)
        likeness, nearest = cosines.max(axis=1), np.array([option.number for option in d.options])[best]
    known = likeness >= SIMILAR
    return podtrack.Selection(
        keep=above & ~known,
        reasons=["noise" if not a else "known" if k else "kept" for a, k in zip(above, known)],
        numbers=np.where(above, likeness, d.sigma),
        nearest=np.where(above & known, nearest, -1),
    )


@podtrack.learner(version="1", parameters={"change": CHANGE})
def until_still(d: podtrack.LearnInput) -> Any:
    """Sweeps over all states until no value changes by more than CHANGE: v, and 0 for terminating."""
    if d.k == int(os.environ.get(KILLED, "-1")):
        os.kill(os.getpid(), signal.SIGKILL)
    state, action, after, _, _ = d.model.transitions.T
    following = np.zeros((d.model.states, d.model.actions), int)
    following[state, action] = after
    reward, v = d.w[following] - d.w[:, None], np.zeros(d.model.states)
    while True:
        swept = np.maximum(0, (reward + d.spec["gamma"] * v[following]).max(axis=1))
        if np.abs(swept - v).max() <= CHANGE:
            return swept
        v = swept


STAGES: dict[str, Any] = dict(select=unfollowed, learner=until_still)


def main(folder: Path) -> None:
    store, whole = folder / "variant.db", folder / "whole.db"
    killed = subprocess.run([sys.executable, __file__, str(folder), "only-run"], env={**os.environ, KILLED: "2"})
    before = podtrack.open(store).runs()[0]
    print("killed by signal %d, after %d iterations" % (-killed.returncode, len(before)))

    run = podtrack.run(store=store, **SPEC, **STAGES)  # the same call continues
    print("resumed: %d iterations, %d options" % (len(run), len(run.options)))
    uninterrupted = podtrack.run(store=whole, **SPEC, **STAGES)
    print("the head of an uninterrupted run: %s" % ("the same" if run.head == uninterrupted.head else "another"))
    print("replayed: %s" % ("identical" if run.replay(**STAGES).identical else "different"))

    built_in = podtrack.run(store=store, name="built-in", **SPEC)
    print("purposes of the variant: %s, of podtrack's own stages: %s" % (
        [k.info.purposes for k in run], [k.info.purposes for k in built_in]))
    diff = run.diff(built_in)
    assert diff.parted is not None
    print("first divergence: iteration %d, stage %s" % (diff.parted.k, diff.parted.stage))

    option = run[1].options[0]
    why = option.why()
    print("option %d: σ %.3f, %s; most of its evidence while executing %s" % (
        option.number, option.sigma, "its chain holds" if why.verified else "its chain does not hold",
        why.sources[0].source))


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    if sys.argv[2:] == ["only-run"]:
        podtrack.run(store=place / "variant.db", **SPEC, **STAGES)
    else:
        main(place)
