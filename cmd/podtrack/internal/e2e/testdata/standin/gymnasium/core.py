import random

from gymnasium.error import Error


class Env:
    metadata = {"render_modes": []}
    spec = render_mode = None
    _np_random = None

    @property
    def unwrapped(self):
        return self

    @property
    def np_random(self):
        if self._np_random is None:
            self._np_random = random.Random()
        return self._np_random

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            if not isinstance(seed, int) or seed < 0:
                raise Error("Seed must be greater or equal to zero, actual value: %s" % seed)
            self._np_random = random.Random(seed)

    def close(self):
        pass


class Wrapper(Env):
    def __init__(self, env):
        self.env = env

    def __getattr__(self, name):
        return getattr(self.env, name)

    @property
    def unwrapped(self):
        return self.env.unwrapped

    @property
    def spec(self):
        return self.env.spec

    @property
    def action_space(self):
        return self.__dict__.get("own_actions", self.env.action_space)

    @property
    def observation_space(self):
        return self.__dict__.get("own_observations", self.env.observation_space)

    @observation_space.setter
    def observation_space(self, space):
        self.own_observations = space

    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        return self.env.step(action)

    def close(self):
        self.env.close()


class ObservationWrapper(Wrapper):
    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        return self.observation(observation), info

    def step(self, action):
        observation, *rest = self.env.step(action)
        return (self.observation(observation), *rest)
