"""What NumPy knows of a ring: its states and features, which directions mean the same, what policies do."""
import numpy as np


def features(bits, hide):
    """The features φ(s) of all states, one row each, without the hidden ones."""
    states = np.arange(1 << bits)
    return ((states[:, None] >> np.arange(hide, bits)) & 1).astype(float)


def metric(phi):
    """The matrix M of uᵀMw = Σ (uᵀΔφ)(wᵀΔφ), over all transitions."""
    delta = np.vstack([np.roll(phi, 1, axis=0) - phi, np.roll(phi, -1, axis=0) - phi])
    return delta.T @ delta


def follow(policy):
    """The state in which a policy ends, from each state; −1 is to terminate."""
    end = np.arange(len(policy))
    for _ in policy:
        act = policy[end]
        end = np.where(act < 0, end, (end + 2 * act - 1) % len(policy))
    return end


def good(q, tolerance):
    """Which actions are as good as the best, by state and action; none where the best is to terminate."""
    best = q.max(axis=1, keepdims=True)
    return (q >= best - tolerance) & (best > tolerance)
