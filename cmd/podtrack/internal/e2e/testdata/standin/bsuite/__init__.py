import dm_env
import numpy
from dm_env import specs

from bsuite import sweep

__version__ = "0.3.6.standin"


class Catch(dm_env.Environment):
    """A ball falls through 10 rows of 5 columns, a paddle below it."""

    def __init__(self, seed=None):
        self._rng, self._is_over, self._total_regret = numpy.random.RandomState(seed), True, 0.0

    def reset(self):
        self._ball, self._row, self._paddle, self._is_over = self._rng.randint(5), 0, 2, False
        return dm_env.restart(self._seen())

    def step(self, action):
        if self._is_over:
            return self.reset()
        self._paddle, self._row = min(max(self._paddle + (-1, 0, 1)[action], 0), 4), self._row + 1
        self._is_over = self._row == 9
        if not self._is_over:
            return dm_env.transition(0.0, self._seen())
        reward = 1.0 if self._paddle == self._ball else -1.0
        self._total_regret += 1 - reward
        return dm_env.termination(reward, self._seen())

    def _seen(self):
        board = numpy.zeros((10, 5), numpy.float32)
        board[self._row, self._ball] = board[9, self._paddle] = 1
        return board

    def observation_spec(self):
        return specs.BoundedArray((10, 5), numpy.float32, 0, 1, "observation")

    def action_spec(self):
        return specs.DiscreteArray(3, int, "action")


def load_from_id(bsuite_id):
    environment = Catch(**sweep.SETTINGS[bsuite_id])
    print("Loaded bsuite_id: %s." % bsuite_id)
    return environment
