"""The classic four rooms, built from their walls."""
import numpy as np

SIDE = 13


def rooms():
    """The state after each action, up, right, down, left; a bump stays. And the first state."""
    free = np.zeros((SIDE, SIDE), dtype=bool)
    free[1:12, 1:12] = True
    free[1:12, 6] = free[6, 1:6] = free[7, 7:12] = False
    free[[3, 10, 6, 7], [6, 6, 2, 9]] = True
    number = np.cumsum(free).reshape(free.shape) - 1
    after = np.array([[number[to] if free[to] else number[r, c] for to in ((r - 1, c), (r, c + 1), (r + 1, c), (r, c - 1))]
                      for r, c in zip(*np.nonzero(free))])
    return after, number[11, 1]
