"""Learns the options of iteration 0 of an exported run by least-squares policy iteration in NumPy, and compares the
weights: check_lspi.py FILE.npz. Every policy is evaluated by numpy.linalg.solve on all weights at once."""
import json
import sys

import numpy as np

SINGULAR = 1e-10  # what is left of a feature that depends on earlier ones, as a part of it


def independent(gram):
    """Which columns are linearly independent of those before them."""
    gram, size = gram.copy(), np.diag(gram).copy()
    kept = np.zeros(len(gram), dtype=bool)
    for k in range(len(gram)):
        if gram[k, k] > SINGULAR * size[k]:
            kept[k] = True
            gram[k + 1 :] -= np.outer(gram[k + 1 :, k] / gram[k, k], gram[k])
    return kept


def features(run, about):
    """φ of each state, with the constant last."""
    if "0/observation" not in run:
        return np.eye(about["states"], about["states"] + 1) + np.eye(about["states"] + 1)[-1]
    seen = run["0/observation"]
    phi = np.eye(run["0/Vt"].shape[0])[seen.astype(int)] if seen.ndim == 1 else seen
    return np.hstack([phi, np.ones((len(phi), 1))])


def transitions(run):
    """The distinct s, a, s' and whether the episode ended there, and how often each occurs."""
    begins, state, action = run.get("0/episode", np.zeros((0, 3), dtype=int)), run["0/state"], run["0/action"]
    terminal, start = np.zeros(len(action), dtype=int), state[:-1].copy()
    for step, first, ended in begins.astype(int):
        terminal[step - 1] = ended
        if step < len(start):
            start[step] = first
    return np.unique(np.stack([start, action, state[1:], terminal], axis=1), axis=0, return_counts=True)


def q_of(theta, phi):
    return phi @ theta.T


def greedy(q, tolerance):
    """The lowest action within the tolerance of the best one, −1 where none is worth more than 0."""
    best = q.max(axis=1)
    return np.where(best > tolerance, (q >= best[:, None] - tolerance).argmax(axis=1), -1)


def learn(purpose, phi, moves, counts, actions, spec):
    """The weights by action, the constant last."""
    start, action, after, terminal = moves.T
    width, w = phi.shape[1], phi[:, :-1] @ purpose
    reward = w[after] - w[start]
    tolerance = max(spec["tolerance"], 4 * 2 * 2.0**-52 * np.abs(w).max() / (1 - spec["gamma"]))
    column = action[:, None] * width + np.arange(width)
    psi = np.zeros((len(moves), actions * width))
    np.put_along_axis(psi, column, phi[start], axis=1)
    weighted = psi * counts[:, None]
    keep = np.concatenate([independent(phi[start][action == a].T @ (phi[start][action == a] * counts[action == a, None]))
                           for a in range(actions)])
    theta, known = np.zeros((actions, width)), set()
    policy = greedy(q_of(theta, phi), tolerance)
    for _ in range(spec["sweeps"]):
        if policy.tobytes() in known:
            break
        known.add(policy.tobytes())
        onward = np.zeros_like(psi)
        goes = (policy[after] >= 0) & (terminal == 0)
        for i in np.flatnonzero(goes):
            a = policy[after[i]]
            onward[i, a * width : (a + 1) * width] = phi[after[i]]
        system = weighted[:, keep].T @ (psi - spec["gamma"] * onward)[:, keep]
        theta = np.zeros(actions * width)
        theta[keep] = np.linalg.solve(system, weighted[:, keep].T @ reward)
        theta = theta.reshape(actions, width)
        policy = greedy(q_of(theta, phi), tolerance)
    return theta


def main():
    run = dict(np.load(sys.argv[1]))
    about = json.loads(run["podtrack.json"].tobytes())["runs"][0]
    phi, (moves, counts) = features(run, about), transitions(run)
    seen = np.unique(moves[:, [0, 2]])
    worst, unknowns = 0.0, len(np.unique(moves[:, :2], axis=0))
    for purpose, learned in zip(run["0/eigenpurpose"], run["0/theta"]):
        theta = learn(purpose, phi, moves, counts, learned.shape[0], about["spec"])
        theirs = np.roll(learned, -1, axis=1)
        worst = max(worst, np.abs(q_of(theta, phi[seen]) - q_of(theirs, phi[seen])).max(), np.abs(theta - theirs).max())
    if not worst <= 1e-9:
        sys.exit("the weights differ by %g" % worst)
    print("%d options of %d weights agree, %d states and actions tried" % (len(run["0/theta"]), run["0/theta"][0].size, unknowns))
    print("largest difference %.1e" % worst, file=sys.stderr)


main()
