"""A stand-in for minigrid: an empty room, with the real one's observations in kind."""

import enum

from gymnasium.arrays import Array
from gymnasium.core import Env
from gymnasium.envs.registration import register
from gymnasium.spaces import Box, Dict, Discrete, Space

__version__ = "3.1.0.standin"
DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))
EMPTY, WALL, GOAL = (1, 0, 0), (2, 5, 0), (8, 1, 0)


class Actions(enum.IntEnum):
    left, right, forward, pickup, drop, toggle, done = range(7)


class MissionSpace(Space):
    dtype = str

    def contains(self, x):
        return isinstance(x, str)


class MiniGridEnv(Env):
    def __init__(self, size, max_steps: "int" = 100, see_through_walls: "bool" = False, agent_view_size: "int" = 7,
                 render_mode: "str | None" = None):
        self.size, self.max_steps, self.view = size, max_steps, agent_view_size
        self.actions, self.action_space = Actions, Discrete(7)
        self.observation_space = Dict({
            "image": Box(0, 255, (agent_view_size, agent_view_size, 3), "uint8"), "direction": Discrete(4),
            "mission": MissionSpace()})

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y, self.direction, self.step_count = 1, 1, 0, 0
        return self.show(), {}

    def step(self, action):
        if action not in range(7):
            raise ValueError("Unknown action: %s" % action)
        self.step_count += 1
        reward, terminated = 0, False
        if action < 2:
            self.direction = (self.direction + (-1, 1)[action]) % 4
        elif action == 2:
            dx, dy = DIRECTIONS[self.direction]
            if self.cell(self.x + dx, self.y + dy) != WALL:
                self.x, self.y = self.x + dx, self.y + dy
            terminated = self.cell(self.x, self.y) == GOAL
            reward = 1 - 0.9 * self.step_count / self.max_steps if terminated else 0
        return self.show(), reward, terminated, self.step_count >= self.max_steps, {}

    def cell(self, x, y):
        if not (0 < x < self.size - 1 and 0 < y < self.size - 1):
            return WALL
        return GOAL if x == y == self.size - 2 else EMPTY

    def show(self):
        """What is before the agent, who looks up from the middle of the last row. Nothing hides the
        room, and beyond it everything is wall."""
        (fx, fy), n, image = DIRECTIONS[self.direction], self.view, []
        for i in range(n):
            for j in range(n):
                ahead, aside = n - 1 - j, i - n // 2
                x, y = self.x + ahead * fx - aside * fy, self.y + ahead * fy + aside * fx
                image += self.cell(x, y) if ahead or aside else EMPTY
        return {"image": Array(image, "uint8", (n, n, 3)), "direction": self.direction,
                "mission": "get to the green goal square"}


class EmptyEnv(MiniGridEnv):
    def __init__(self, size=8, max_steps: "int | None" = None, **kwargs):
        super().__init__(size, max_steps=4 * size ** 2 if max_steps is None else max_steps, see_through_walls=True, **kwargs)


register(id="MiniGrid-Empty-5x5-v0", entry_point="minigrid:EmptyEnv", kwargs={"size": 5})
register(id="MiniGrid-Empty-8x8-v0", entry_point="minigrid:EmptyEnv")
