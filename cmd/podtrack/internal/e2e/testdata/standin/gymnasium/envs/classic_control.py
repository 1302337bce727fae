import math

from gymnasium.arrays import Array
from gymnasium.core import Env
from gymnasium.spaces import Box, Discrete


class CartPoleEnv(Env):
    action_space = Discrete(2)
    observation_space = Box([-4.8, -math.inf, -0.41887903, -math.inf], [4.8, math.inf, 0.41887903, math.inf])

    def __init__(self, sutton_barto_reward: "bool" = False, render_mode: "str | None" = None):
        self.sutton_barto_reward = sutton_barto_reward

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = [self.np_random.uniform(-0.05, 0.05) for _ in range(4)]
        return Array(self.state, "float32"), {}

    def step(self, action):
        assert self.action_space.contains(action), "%r (%s) invalid" % (action, type(action))
        x, v, angle, w = self.state
        force = 10.0 if action == 1 else -10.0
        temp = (force + 0.05 * w * w * math.sin(angle)) / 1.1
        turn = (9.8 * math.sin(angle) - math.cos(angle) * temp) / (0.5 * (4.0 / 3.0 - 0.1 * math.cos(angle) ** 2 / 1.1))
        speed = temp - 0.05 * turn * math.cos(angle) / 1.1
        x, v, angle, w = self.state = [x + 0.02 * v, v + 0.02 * speed, angle + 0.02 * w, w + 0.02 * turn]
        fell = not (-2.4 <= x <= 2.4 and -0.20943951 <= angle <= 0.20943951)
        return Array(self.state, "float32"), 1.0, fell, False, {}


class MountainCarEnv(Env):
    action_space = Discrete(3)
    observation_space = Box([-1.2, -0.07], [0.6, 0.07])

    def __init__(self, render_mode: "str | None" = None, goal_velocity=0):
        self.goal_velocity = goal_velocity

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = [self.np_random.uniform(-0.6, -0.4), 0.0]
        return Array(self.state, "float32"), {}

    def step(self, action):
        assert self.action_space.contains(action), "%r (%s) invalid" % (action, type(action))
        x, v = self.state
        v = min(max(v + (action - 1) * 0.001 - math.cos(3 * x) * 0.0025, -0.07), 0.07)
        x = min(max(x + v, -1.2), 0.6)
        self.state = [x, 0.0 if x == -1.2 and v < 0 else v]
        return Array(self.state, "float32"), -1.0, x >= 0.5 and v >= self.goal_velocity, False, {}
