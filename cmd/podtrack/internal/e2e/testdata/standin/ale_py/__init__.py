"""A stand-in for ale_py, written from its sources: a game whose RAM an agent can see."""

from gymnasium import Env
from gymnasium.arrays import Array
from gymnasium.envs.registration import register
from gymnasium.spaces import Box, Discrete

__version__ = "0.12.1.standin"


class AtariEnv(Env):
    def __init__(self, game: "str", obs_type: "str" = "rgb", frameskip: "int" = 4,
                 repeat_action_probability: "float" = 0.25, full_action_space: "bool" = False,
                 max_num_frames_per_episode: "int | None" = None, render_mode: "str | None" = None):
        self.frameskip, self.sticky, self.limit = frameskip, repeat_action_probability, max_num_frames_per_episode
        self.action_space = Discrete(18 if full_action_space else 6)
        shape = {"ram": (128,), "rgb": (210, 160, 3), "grayscale": (210, 160)}[obs_type]
        self.observation_space = Box(0, 255, shape, "uint8")

    def get_action_meanings(self):
        return ["NOOP", "FIRE", "RIGHT", "LEFT", "RIGHTFIRE", "LEFTFIRE"]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.frame, self.last = 20, 0, 0
        return self.show(), {"lives": 0, "episode_frame_number": 0, "frame_number": 0}

    def step(self, action):
        self.last = self.last if self.np_random.random() < self.sticky else action
        self.at = min(max(self.at + {2: 1, 4: 1, 3: -1, 5: -1}.get(self.last, 0), 0), 39)
        self.frame += self.frameskip
        info = {"lives": 0, "episode_frame_number": self.frame, "frame_number": self.frame}
        return self.show(), 0.0, self.at in (0, 39), self.limit is not None and self.frame >= self.limit, info

    def show(self):
        return Array([192, 0, 63] + [0] * 47 + [self.at * 4] + [255 - self.at] * 2 + [0] * 75, "uint8")


register(id="ALE/Pong-v5", entry_point="ale_py:AtariEnv", kwargs={"game": "pong"})
