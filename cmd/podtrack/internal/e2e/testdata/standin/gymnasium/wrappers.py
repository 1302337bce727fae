from gymnasium.arrays import Array
from gymnasium.core import ObservationWrapper, Wrapper
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box


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


class GrayscaleObservation(ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = Box(0, 255, env.observation_space.shape[:2], "uint8")

    def observation(self, image):
        values = image.values
        grey = [sum(values[i:i + 3]) // 3 for i in range(0, len(values), 3)]
        return Array(grey, "uint8", self.observation_space.shape)


class ResizeObservation(ObservationWrapper):
    """Takes the nearest pixels."""

    def __init__(self, env, shape):
        super().__init__(env)
        self.observation_space = Box(0, 255, shape, "uint8")

    def observation(self, image):
        (height, width), (rows, columns) = image.shape, self.observation_space.shape
        pixels = [image.values[r * height // rows * width + c * width // columns]
                  for r in range(rows) for c in range(columns)]
        return Array(pixels, "uint8", (rows, columns))


class SyncVectorEnv:
    def __init__(self, makers):
        self.envs = [make() for make in makers]
        self.num_envs = len(self.envs)
        self.observation_space, self.action_space = self.envs[0].observation_space, self.envs[0].action_space

    def reset(self, *, seed=None, options=None):
        raise NotImplementedError

    step = reset
