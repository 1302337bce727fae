"""Computes a run on a ring by its spec with numpy alone, and compares all of its arrays: oracle.py FILE SPEC…

FILE is what export wrote, SPEC the file of a spec, one for each range of iterations: SPEC@K begins at iteration K. Walks,
decompositions, purposes, values and policies are all computed here, from the seed on. Numbers agree to 1e-9."""
import bisect
import itertools
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../versus"))
import stream  # noqa: E402

CLOSE, EPSILON = 1e-9, 2.0**-52


def lifetime(spec):
    """For how many iterations options are kept."""
    text = spec.get("options", "keep")
    return {"keep": 1 << 30, "replace": 1}.get(text) or int(text[len("last="):])


def collect(state, states, steps, options, spec, below):
    """The states, the actions and the number of the option of each step; options maps numbers to policies."""
    law, _, parameter = spec.get("behaviour", "uniform").partition("=")
    walked, actions, under = [state], [], []
    while len(actions) < steps:
        here = [n for n in sorted(options) if options[n][state] >= 0 and n not in spec.get("leave_out", [])]
        choice = decide(len(here), spec, below)
        option, policy = (-1, None) if choice < 2 else (here[choice - 2], options[here[choice - 2]])
        left = duration(int(parameter), below) if law == "zeta" and policy is None else 1
        while len(actions) < steps:
            action = choice if policy is None else policy[state]
            if action < 0:
                break
            if law == "geometric" and policy is None:
                left = 1 if below(1 << 53) < 2.0**53 * (1 / float(parameter)) else 2
            left -= 1
            state = (state + 2 * action - 1) % states
            walked.append(state), actions.append(action), under.append(option)
            if policy is None and left == 0:
                break
    return np.array(walked), np.array(actions), np.array(under)


def duration(z, below, sums={}):
    """For how many steps an action is taken: n with a probability proportional to n^-z."""
    if z not in sums:
        sums[z] = list(itertools.accumulate((1 << 62) // n**z for n in range(1, 65537)))
    return bisect.bisect_right(sums[z], below(sums[z][-1])) + 1


def decide(available, spec, below):
    """An action, 0 or 1, or 2 and more for an option."""
    p = spec.get("option_probability", 0)
    if p == 0:
        return below(2 + available)
    if available and below(1 << 53) < p * 2.0**53:
        return 2 + below(available)
    return below(2)


def decompose(data, spec):
    """Singular values, V and the divisors of the features, 0 for those that never change."""
    rms = np.ones(data.shape[1])
    if spec.get("feature_scale") == "rms":
        rms = np.sqrt((data**2).mean(axis=0))
    scaled = np.divide(data, rms, out=np.zeros_like(data), where=rms > 0)
    gram = scaled.T @ scaled  # its eigenvectors have the unit vectors of features that never change
    values, v = np.linalg.eigh(gram)
    v = v[:, ::-1]
    sigma = np.linalg.svd(scaled, compute_uv=False)
    sigma[sigma <= 4 * len(sigma) * EPSILON * sigma[0]] = 0
    magnitude = np.abs(v)
    first = (magnitude >= magnitude.max(axis=0) * (1 - 2.0**-20)).argmax(axis=0)
    return sigma, v * np.where(v[first, np.arange(len(v))] < 0, -1, 1), rms


def directions(sigma, v, rms, spec, k, data):
    """The directions with σ > κ, as rows; of the posterior as many as features."""
    if spec["basis"] == "posterior":
        values, basis = np.linalg.eigh(data.T @ data)
        root = basis / np.sqrt(np.maximum(values, 0) + spec.get("ridge", 0.01)) @ basis.T
        z = [drawn(stream.podtrack(spec["seed"], k, b"direction %d" % j), len(root)) for j in range(1, len(root) + 1)]
        rows = np.array(z) @ root
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
    if spec["basis"] == "random":
        kept = np.count_nonzero(sigma > spec["kappa"])
        return np.array([drawn(stream.podtrack(spec["seed"], k, b"direction %d" % j), len(sigma)) for j in range(1, kept + 1)])
    rows = v.T if spec["basis"] == "right-singular" else np.where(sigma > 0, v, 0)
    rows = rows[: np.count_nonzero(sigma > spec["kappa"])]
    if spec.get("feature_scale") == "rms":
        rows = np.divide(rows, rms, out=np.zeros_like(rows), where=rms > 0)
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def drawn(below, dims):
    """A random direction: sums of twelve numbers, which are about normal, of length 1."""
    v = np.array([sum(below(1 << 32) - (2**32 - 1) / 2 for _ in range(12)) for _ in range(dims)])
    return v / np.linalg.norm(v)


def signed(rows, phi, walked, spec):
    """The purposes: both signs of each direction, or that with the lower mean of w over the visits than over the states."""
    if spec.get("sides") != "one":
        return np.stack([rows, -rows], axis=1).reshape(-1, rows.shape[1])
    contrast = phi[walked].mean(axis=0) - phi[np.unique(walked)].mean(axis=0)
    lean = rows @ contrast
    return np.where(lean > 2.0**-30 * np.linalg.norm(contrast), -1, 1)[:, None] * rows


def learn(purpose, phi, spec):
    """v after the sweeps, and the policy of one more backup."""
    w, gamma = phi @ purpose, spec["gamma"]
    left, right = np.roll(w, 1) - w, np.roll(w, -1) - w
    v = np.zeros(len(w))
    for _ in range(spec["sweeps"]):
        v = np.maximum(0, np.maximum(left + gamma * np.roll(v, 1), right + gamma * np.roll(v, -1)))
    q = np.stack([left + gamma * np.roll(v, 1), right + gamma * np.roll(v, -1)], axis=1)
    return v, q


def same(name, k, ours, theirs, tolerance=CLOSE):
    if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=0, atol=tolerance):
        sys.exit(f"iteration {k}: {name} differs: {ours.shape} and {theirs.shape}"
                 + (f", by up to {np.abs(ours - theirs).max()}" if ours.shape == theirs.shape else ""))


def main():
    z, specs = dict(np.load(sys.argv[1])), {}
    for argument in sys.argv[2:]:
        path, _, begin = argument.partition("@")
        with open(path) as f:
            specs[int(begin or 0)] = json.load(f)
    options, made, numbers, state, k, compared = {}, [], 0, 0, 0, 0
    gathered = None
    while f"{k}/state" in z:
        spec = specs[max(begin for begin in specs if begin <= k)]
        bits, hide = spec["env"]["params"]["bits"], spec["env"]["params"]["hide"]
        phi = ((np.arange(1 << bits)[:, None] >> np.arange(hide, bits)) & 1).astype(float)
        kept = {n: policy for n, (since, policy) in options.items() if since >= k - lifetime(spec)}
        walked, actions, under = collect(state, 1 << bits, spec["steps"], kept, spec, stream.podtrack(spec["seed"], k, b"walk"))
        for name, ours in (("state", walked), ("action", actions), ("option", under)):
            same(name, k, ours, z[f"{k}/{name}"], 0)
        state = int(walked[-1])
        delta = phi[walked[1:]] - phi[walked[:-1]]
        gathered = np.vstack([gathered, delta]) if spec["dataset"] == "cumulative" and k > 0 else delta
        sigma, v, rms = decompose(gathered, spec)
        same("S", k, sigma, z[f"{k}/S"], CLOSE * sigma[0])
        scaled = np.divide(z[f"{k}/rows"], rms, out=np.zeros_like(z[f"{k}/rows"]), where=rms > 0)
        same("U S Vt", k, z[f"{k}/U"] * z[f"{k}/S"] @ z[f"{k}/Vt"], scaled)
        purposes = signed(directions(sigma, v, rms, spec, k, gathered), phi, walked, spec)
        same("eigenpurpose", k, purposes, z[f"{k}/eigenpurpose"])
        for i, purpose in enumerate(purposes):
            value, q = learn(purpose, phi, spec)
            same(f"value of {i}", k, value, z[f"{k}/value"][i])
            best = z[f"{k}/q"][i].max(axis=1)
            same(f"q of {i}", k, q, z[f"{k}/q"][i])
            policy = np.where(best > spec["tolerance"], z[f"{k}/q"][i].argmax(axis=1), -1)
            same(f"policy of {i}", k, policy, z[f"{k}/policy"][i], 0)
            options[numbers] = k, policy
            numbers += 1
        compared += len(purposes)
        k += 1
    print(f"{k} iterations, {compared} options")


if __name__ == "__main__":
    main()
