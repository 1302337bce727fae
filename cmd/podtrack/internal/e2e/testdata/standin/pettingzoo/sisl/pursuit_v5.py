"""Pursuers in a field of 16 by 16 cells, without what they pursue."""

import random

from gymnasium.arrays import full
from gymnasium.spaces import Box, Discrete

MOVES = ((-1, 0), (1, 0), (0, 1), (0, -1), (0, 0))


class parallel_env:
    def __init__(self, n_pursuers=8, max_cycles=500):
        self.possible_agents, self.cycles = ["pursuer_%d" % i for i in range(n_pursuers)], max_cycles
        self.random, self.unwrapped, self.metadata = random.Random(), self, {"name": "pursuit_v5"}

    def __str__(self):
        return "pursuit_v5"

    def observation_space(self, agent):
        return Box(0.0, 30.0, (7, 7, 3), "float32")

    def action_space(self, agent):
        return Discrete(5)

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random = random.Random(seed)
        self.agents, self.steps = self.possible_agents[:], 0
        self.at = {agent: [self.random.randrange(16), self.random.randrange(16)] for agent in self.agents}
        return {agent: self.observe(agent) for agent in self.agents}, {agent: {} for agent in self.agents}

    def observe(self, agent):
        seen = full((7, 7, 3), 0.0, "float32")
        for i, place in enumerate(self.at[agent]):
            seen.values[place + 16 * i] = 1.0
        return seen

    def step(self, actions):
        self.steps += 1
        for agent, action in actions.items():
            self.at[agent] = [min(max(x + d, 0), 15) for x, d in zip(self.at[agent], MOVES[action])]
        is_over, agents = self.steps >= self.cycles, self.agents
        self.agents = [] if is_over else agents
        return ({agent: self.observe(agent) for agent in agents}, dict.fromkeys(agents, -0.1),
                dict.fromkeys(agents, False), dict.fromkeys(agents, is_over), {agent: {} for agent in agents})


class env(parallel_env):
    """The same, in which agents step in turn. It has one agent."""

    def agent_iter(self, max_iter=2**63):
        while self.agents:
            yield self.agent_selection

    def reset(self, seed=None, options=None):
        super().reset(seed)
        self.agent_selection, self.answer = self.agents[0], (0, False, False, {})

    def step(self, action):
        answers = super().step({self.agent_selection: action})[1:]
        self.answer = tuple(answer[self.agent_selection] for answer in answers)

    def last(self):
        return (self.observe(self.agent_selection), *self.answer)
