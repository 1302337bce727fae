"""Writes what NumPy can write of one walk on a ring: make_npz.py FOLDER EXPORT. EXPORT has the arrays state, action, delta."""
import sys

import numpy as np

folder, export = sys.argv[1:3]
z = np.load(export)
state, action, delta = z["0/state"], z["0/action"], z["0/delta"]
rng = np.random.default_rng(0)

walks = {
    "savez": dict(state=state, action=action),
    "big-endian": dict(state=state.astype(">u2"), action=action.astype(">i8")),
    "small": dict(state=state.astype("u1"), action=action.astype(bool)),
    "strided": dict(state=np.repeat(state, 2)[::2], action=np.asfortranarray(action)),
    "option": dict(state=state, action=action, option=np.full(len(action), -1), reward=np.zeros(3)),
    "prefixed": {"a/b/state": state, "a/b/action": action},
}
rows = {
    "delta": dict(delta=delta),
    "float32": dict(delta=delta.astype("f4")),
    "integers": dict(delta=delta.astype(">i2")),
    "fortran": dict(delta=np.asfortranarray(delta)),
    "fortran-int8": dict(delta=np.asfortranarray(delta.astype("i1"))),
    "shuffled": dict(delta=rng.permutation(delta)),
    "negative-zeros": dict(delta=np.where(delta == 0, -0.0, delta)),
}
for kind, files in (("walk", walks), ("rows", rows)):
    for name, arrays in files.items():
        np.savez(f"{folder}/{kind}-{name}.npz", **arrays)
        np.savez_compressed(f"{folder}/{kind}-{name}-compressed.npz", **arrays)
with open(f"{folder}/bad-objects.npz", "wb") as f:
    np.savez(f, delta=np.array([[1, None]], dtype=object))
with open(f"{folder}/bad-nan.npz", "wb") as f:
    np.savez(f, delta=np.array([[1, np.nan]]))
