from gymnasium.core import Wrapper
from gymnasium.error import ResetNeeded


class PassiveEnvChecker(Wrapper):
    pass


class OrderEnforcing(Wrapper):
    _has_reset = False

    def reset(self, **given):
        self._has_reset = True
        return self.env.reset(**given)

    def step(self, action):
        if not self._has_reset:
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


class StickyAction(Wrapper):
    def __init__(self, env, repeat_action_probability):
        super().__init__(env)
        self.repeat_action_probability, self.last_action = repeat_action_probability, None

    def reset(self, **given):
        self.last_action = None
        return self.env.reset(**given)

    def step(self, action):
        if self.last_action is not None and self.np_random.random() < self.repeat_action_probability:
            action = self.last_action
        self.last_action = action
        return self.env.step(action)


class TransformAction(Wrapper):
    def __init__(self, env, func, action_space):
        super().__init__(env)
        self.func = func

    def step(self, action):
        return self.env.step(self.func(action))
