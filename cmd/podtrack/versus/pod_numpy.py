"""Table 1 of Machado & Bowling (2016) in plain numpy: the ring of 2^12 states, both
readings, 0 and 3 bits hidden. Value iteration is full synchronous sweeps, the
decomposition LAPACK's. README.md says what this is held against."""
import argparse
import os
import time

import numpy as np

import stream

BITS, STEPS, SWEEPS = 12, 1000, 100
STATES = 1 << BITS
KAPPA, GAMMA, TOLERANCE, EPSILON = 1.0, 0.99, 1e-9, 2.0**-52
COLUMNS = "reading,hide,seed,k,purposes,calls,option_length,distance,states_visited,values,left,right"
STATE = np.arange(STATES)
spent = dict.fromkeys(("draw", "collect", "factor", "learn", "save"), 0.0)  # seconds


class Clock:
    """Adds the time of a with block to spent."""

    def __init__(self, stage):
        self.stage = stage

    def __enter__(self):
        self.begun = time.perf_counter()

    def __exit__(self, *_):
        spent[self.stage] += time.perf_counter() - self.begun


def collect(state, options, below):
    """Walks STEPS steps: the states, the actions, the option in force (−1: none), the calls."""
    states, actions, in_force, calls = [state], [], [], 0
    while len(actions) < STEPS:
        here = [o for o, policy in enumerate(options) if policy[state] >= 0]
        choice = below(2 + len(here))
        if choice < 2:
            state = (state + 2 * choice - 1) % STATES
            states.append(state), actions.append(choice), in_force.append(-1)
            continue
        option = here[choice - 2]
        policy, calls = options[option], calls + 1
        while (action := policy[state]) >= 0 and len(actions) < STEPS:
            state = (state + 2 * action - 1) % STATES
            states.append(state), actions.append(action), in_force.append(option)
    return np.array(states), np.array(actions, dtype=np.int32), np.array(in_force, dtype=np.int32), calls


def factor(d):
    """Singular values and V, signs fixed: of each column the first entry within 2⁻²⁰ of the largest magnitude is positive."""
    u, s, vt = np.linalg.svd(d, full_matrices=False)
    s[s <= 4 * len(s) * EPSILON * s[0]] = 0
    magnitude = np.abs(vt)
    largest = (magnitude >= magnitude.max(axis=1, keepdims=True) * (1 - 2.0**-20)).argmax(axis=1)
    sign = np.where(vt[np.arange(len(vt)), largest] < 0, -1.0, 1.0)
    return u * np.where(s > 0, sign, 0), s, (vt * sign[:, None]).T


def select(s, v, reading):
    """The signed eigenpurposes, + before −."""
    rows = v.T if reading == "as-written" else np.where(s > 0, v, 0)
    rows = rows[: np.count_nonzero(s > KAPPA)]
    return np.stack([rows, -rows], axis=1).reshape(-1, len(s))


def learn(purpose, features):
    """v after SWEEPS sweeps, and q of one more backup."""
    w = features @ purpose
    left, right = np.roll(w, 1) - w, np.roll(w, -1) - w
    v = np.zeros(STATES)
    for _ in range(SWEEPS):
        discounted = GAMMA * v
        v = np.maximum(0, np.maximum(left + np.roll(discounted, 1), right + np.roll(discounted, -1)))
    discounted = GAMMA * v
    q = np.stack([left + np.roll(discounted, 1), right + np.roll(discounted, -1)], axis=1)
    tolerance = max(TOLERANCE, 4 * EPSILON * np.abs(w).max() / (1 - GAMMA))
    best = q.max(axis=1)
    policy = np.where(best > tolerance, q.argmax(axis=1), -1)
    return v, q, policy.astype(np.int16)


def line(reading, hide, seed, k, s, calls, in_force, actions, states, v, policy):
    """One line of what an iteration computed."""
    x = np.cumsum(2 * actions - 1)
    length = f"{np.count_nonzero(in_force >= 0) / calls:.17g}" if calls else ""
    return (f"{reading},{hide},{seed},{k},{np.count_nonzero(s > KAPPA)},{calls},{length},{np.abs(x).max()},"
            f"{len(np.unique(states))},{v.sum():.17g},{np.count_nonzero(policy == 0)},{np.count_nonzero(policy == 1)}")


def perform(reading, hide, seed, iterations, stream_of, folder):
    """One run; its arrays go into a file of the folder, if there is one."""
    features = ((STATE[:, None] >> np.arange(hide, BITS)) & 1).astype(float)
    state, options, dataset, arrays = 0, [], np.empty((0, BITS - hide)), {}
    for k in range(iterations):
        with Clock("draw"):
            below = stream_of(seed, k)
        with Clock("collect"):
            states, actions, in_force, calls = collect(state, options, below)
            state = int(states[-1])
            delta = features[states[1:]] - features[states[:-1]]
            dataset = np.vstack([dataset, delta]) if reading == "as-published" else delta
        with Clock("factor"):
            u, s, v = factor(dataset)
        with Clock("learn"):
            purposes = select(s, v, reading)
            value, q, policy = (np.array(x) for x in zip(*(learn(e, features) for e in purposes)))
        print(line(reading, hide, seed, k, s, calls, in_force, actions, states, value, policy))
        options += policy.tolist()
        if folder:
            made = dict(state=states, action=actions, option=in_force, delta=delta, S=s, Vt=v.T, eigenpurpose=purposes,
                        value=value, q=q, policy=policy, initiation=policy >= 0)
            made["rows"], first, made["counts"] = np.unique(dataset, axis=0, return_index=True, return_counts=True)
            made["U"] = u[first]
            arrays.update({f"{k}/{name}": array for name, array in made.items()})
    if folder:
        with Clock("save"):
            np.savez_compressed(os.path.join(folder, f"{reading}-{hide}-{seed}.npz"), **arrays)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30, help="seeds 0 to N−1 in each setting")
    parser.add_argument("--iterations", type=int, default=6)
    parser.add_argument("--rng", choices=("podtrack", "numpy"), default="podtrack", help="numpy: other random numbers, other results")
    parser.add_argument("--save", metavar="FOLDER", help="write all arrays of a run into a file there")
    parser.add_argument("--profile", metavar="FILE", help="write the seconds of each stage there")
    args = parser.parse_args()
    if args.runs < 1 or args.iterations < 1:
        parser.error("--runs and --iterations are whole numbers of at least 1")
    if args.save:
        os.makedirs(args.save, exist_ok=True)
    print(COLUMNS)
    for reading in ("as-written", "as-published"):
        for hide in (0, 3):
            for seed in range(args.runs):
                perform(reading, hide, seed, args.iterations, getattr(stream, args.rng), args.save)
    if args.profile:
        with open(args.profile, "w") as f:
            f.writelines(f"{stage} {seconds:.3f}\n" for stage, seconds in spent.items())


if __name__ == "__main__":
    main()
