from gymnasium.core import ObservationWrapper
from gymnasium.spaces import Box, Dict


class ImgObsWrapper(ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = env.observation_space.spaces["image"]

    def observation(self, obs):
        return obs["image"]


class ViewSizeWrapper(ObservationWrapper):
    def __init__(self, env, agent_view_size: "int" = 7):
        super().__init__(env)
        assert agent_view_size % 2 == 1 and agent_view_size >= 3
        env.unwrapped.view = self.size = agent_view_size
        self.observation_space = Dict({**env.observation_space.spaces,
                                       "image": Box(0, 255, (agent_view_size, agent_view_size, 3), "uint8")})

    def observation(self, obs):
        return obs
