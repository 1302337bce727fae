import random

from gymnasium.arrays import Array


class RandomState(random.Random):
    """As NumPy's, which takes no seeds of 2**32 or more."""

    def __init__(self, seed=None):
        if seed is not None and not isinstance(seed, int):
            raise TypeError("Cannot cast %r to an integer" % seed)
        if seed is not None and not 0 <= seed < 2**32:
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        super().__init__(seed)


class Game:
    """A ball that bounces off the walls, a paddle below it."""

    def __init__(self, ramping=True):
        self.random = RandomState()
        self.reset()

    def reset(self):
        self.ball, self.speed, self.paddle = [3, 9 * self.random.randrange(2)], [1, 1], 4

    def act(self, a):
        self.paddle = min(max(self.paddle + {1: -1, 3: 1}.get(a, 0), 0), 9)
        for i in (0, 1):
            if not 0 <= self.ball[i] + self.speed[i] <= 9:
                self.speed[i] = -self.speed[i]
            self.ball[i] += self.speed[i]
        if self.ball[0] == 9 and self.ball[1] != self.paddle:
            return 0, True
        return int(self.ball[0] == 0), False

    def state(self):
        cells = [0] * 400
        cells[4 * (90 + self.paddle)] = 1
        cells[4 * (10 * self.ball[0] + self.ball[1]) + 1] = 1
        return Array(cells, "bool", (10, 10, 4))


class Environment:
    def __init__(self, env_name, sticky_action_prob=0.1, difficulty_ramping=True):
        self.random, self.env, self.last_action = RandomState(), Game(difficulty_ramping), 0
        self.sticky_action_prob = sticky_action_prob

    def seed(self, seed=None):
        if seed is not None:
            self.random = RandomState(seed)
            self.env.random = self.random

    def act(self, a):
        if self.random.random() < self.sticky_action_prob:
            a = self.last_action
        self.last_action = a
        return self.env.act(a)

    def reset(self):
        return self.env.reset()

    def state(self):
        return self.env.state()

    def state_shape(self):
        return [10, 10, 4]

    def num_actions(self):
        return 6

    def minimal_action_set(self):
        return [0, 1, 3]
