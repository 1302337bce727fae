"""A package of environments for Gym."""

import random

import gym
from gymnasium.envs.odd import Old

gym.register(id="Line-v0", entry_point="gym_line:Line")


class Line(Old):
    def seed(self, seed=None):
        self.random = random.Random(seed)

    def reset(self):
        return super().reset()
