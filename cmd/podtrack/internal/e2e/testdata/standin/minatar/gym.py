import gymnasium as gym
from gymnasium import spaces
from gymnasium.envs.registration import register

from minatar import Environment


class BaseEnv(gym.Env):
    def __init__(self, game, render_mode=None, display_time=50, use_minimal_action_set=False, **kwargs):
        self.game = Environment(env_name=game, **kwargs)
        every = list(range(self.game.num_actions()))
        self.action_set = self.game.minimal_action_set() if use_minimal_action_set else every
        self.action_space = spaces.Discrete(len(self.action_set))
        self.observation_space = spaces.Box(0, 1, shape=self.game.state_shape(), dtype="uint8")

    def reset(self, seed=None, options=None):
        self.game.seed(seed)
        self.game.reset()
        return self.game.state(), {}

    def step(self, action):
        reward, done = self.game.act(self.action_set[action])
        return self.game.state(), reward, done, False, {}


def register_envs():
    for version, minimal in ((0, False), (1, True)):
        register(id="MinAtar/Breakout-v%d" % version, entry_point="minatar.gym:BaseEnv",
                 kwargs={"game": "breakout", "use_minimal_action_set": minimal})
