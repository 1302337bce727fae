"""Environments for each kind of space, and for what is wrong with some."""

import random

from gymnasium.arrays import Array
from gymnasium.core import Env
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Sequence, Text, Tuple


class Walk(Env):
    """A walk on a line of which each environment shows something else."""

    action_space = Discrete(2)
    observation_space = Discrete(10, start=1)

    def __init__(self, length=10):
        self.length = length

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.random = random.Random(seed)
        self.at, self.steps = self.random.randrange(3), 0
        print("reset")  # as programs do that know nothing of protocols
        return self.show(), {}

    def step(self, action):
        return self.move(action == self.action_space.start + 1)

    def move(self, on):
        if self.random.randrange(8):
            self.at = min(max(self.at + (1 if on else -1), 0), self.length - 1)
        self.steps += 1
        return self.show(), -1.0, self.at == self.length - 1, self.steps == 40, {}

    def show(self):
        return self.at + 1


class Named(Walk):
    action_space = Discrete(2, start=5)

    def get_action_meanings(self):
        return ["BACK", "ON"]


class Cart(Walk):
    observation_space = Box([0.0, float("-inf")], [9.0, float("inf")])

    def show(self):
        return [float(self.at), 0.25 * (self.at % 4)]


class Ram(Walk):
    observation_space = Box([0, 0], [255, 255], dtype="uint8")

    def show(self):
        return [self.at, 255 - self.at]


class Lights(Walk):
    observation_space = MultiBinary(4)

    def show(self):
        return [self.at >> i & 1 for i in range(4)]


class Dials(Walk):
    observation_space = MultiDiscrete([5, 2], start=[3, 0])

    def show(self):
        return Array([3 + self.at // 2, self.at % 2], "int64")


class Lost(Walk):
    """Shows what is no number, or no finite one, after a step."""

    observation_space = Box([0.0], [9.0])

    def __init__(self, shows="nan"):
        super().__init__()
        self.shows, self.moved = float(shows), False

    def reset(self, *, seed=None, options=None):
        self.moved = False
        return super().reset(seed=seed)

    def step(self, action):
        self.moved = True
        return super().step(action)

    def show(self):
        return Array([self.shows if self.moved else 0.0], "float32")


class Torque(Walk):
    action_space = Box([-1.0], [1.0])

    def step(self, action):
        return self.move(action[0] > 0)


class Buttons(Walk):
    action_space = Discrete(200)

    def step(self, action):
        return self.move(action % 2 == 1)


class Cells(Walk):
    observation_space = Discrete(5000)

    def show(self):
        return 500 * self.at


class Screen(Walk):
    observation_space = Box(0, 255, (80, 60, 3), "uint8")

    def show(self):
        return Array([25 * self.at] * 80 * 60 * 3, "uint8", (80, 60, 3))


class List(Walk):
    observation_space = Sequence(Discrete(3))


class Nested(Walk):
    """A Dict of a Tuple, a Box of 0 and 1, numbers, and a text."""

    observation_space = Dict({"lamps": Box(0, 1, (3,), "uint8"),
                              "pair": Tuple((Discrete(3, start=1), Box([0.0], [9.0]))), "text": Text(20)})

    def show(self):
        lamps, number = Array([self.at % 2, self.at // 2 % 2, 0], "uint8"), Array([float(self.at)], "float32")
        return {"text": "at %d" % self.at, "pair": (1 + self.at % 3, number), "lamps": lamps}


class Words(Walk):
    observation_space = Text(20)

    def show(self):
        return "at %d" % self.at


class Careless(Walk):
    """Draws from what all share, as older environments do."""

    def reset(self, *, seed=None, options=None):
        self.random = random
        return super().reset()


class Old(Walk):
    """Answers as Gym did before 0.26."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)[0]

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated or truncated, {**info, "TimeLimit.truncated": truncated}
