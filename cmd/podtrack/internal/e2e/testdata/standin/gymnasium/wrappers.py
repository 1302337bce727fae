from gymnasium.core import Wrapper
from gymnasium.error import ResetNeeded


class PassiveEnvChecker(Wrapper):
    pass


class OrderEnforcing(Wrapper):
    has_reset = False

    def reset(self, **given):
        self.has_reset = True
        return self.env.reset(**given)

    def step(self, action):
        if not self.has_reset:
            raise ResetNeeded("Cannot call env.step() before calling env.reset()")
        return self.env.step(action)


class TimeLimit(Wrapper):
    def __init__(self, env, max_episode_steps):
        super().__init__(env)
        self.limit = max_episode_steps

    def reset(self, **given):
        self.steps = 0
        return self.env.reset(**given)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.steps += 1
        return observation, reward, terminated, truncated or self.steps >= self.limit, info
