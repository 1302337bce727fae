"""Checks with numpy alone that --select below kept what threshold leaves out: check_below.py FILE PREFIX KAPPA"""
import sys

import numpy as np

path, prefix, kappa = sys.argv[1], sys.argv[2], float(sys.argv[3])
z = np.load(path)
gathered, k, kept = [], 0, 0
while f"{prefix}{k}/delta" in z.files:
    gathered.append(z[f"{prefix}{k}/delta"])
    d, e = np.vstack(gathered), z[f"{prefix}{k}/eigenpurpose"]
    sigma = np.zeros(d.shape[1])
    found = np.linalg.svd(d, compute_uv=False)
    sigma[: len(found)] = found
    assert (np.abs(sigma - kappa) > 1e-6).all(), "the case decides nothing"
    below = sigma[sigma <= kappa]
    assert len(e) == 2 * len(below), f"iteration {k}: {len(e)} purposes, {len(below)} directions"
    assert np.array_equal(e[0::2], -e[1::2]), f"iteration {k}: signs"
    assert np.allclose(e[0::2] @ e[0::2].T, np.eye(len(below)), atol=1e-9), f"iteration {k}: not orthonormal"
    # D moves along them by just those singular values: together they span what the larger ones leave.
    assert np.allclose(np.linalg.svd(d @ e[0::2].T, compute_uv=False)[: len(below)], below, atol=1e-9), f"iteration {k}"
    k, kept = k + 1, kept + len(below)
print("all is as it should be:", kept, "directions in", k, "iterations")
