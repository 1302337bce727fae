from gymnasium.core import Env
from gymnasium.spaces import Discrete, Tuple

MAPS = {
    "4x4": ["SFFF", "FHFH", "FFFH", "HFFG"],
    "8x8": ["SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"],
}


class FrozenLakeEnv(Env):
    def __init__(self, render_mode: "str | None" = None, desc: "list[str] | None" = None, map_name: "str" = "4x4",
                 is_slippery: "bool" = True, success_rate: "float" = 1.0 / 3.0,
                 reward_schedule: "tuple[int, int, int]" = (1, 0, 0)):
        self.desc = desc or MAPS[map_name]
        self.rows, self.columns = len(self.desc), len(self.desc[0])
        self.is_slippery, self.success_rate, self.rewards = is_slippery, success_rate, dict(zip("GHF", reward_schedule))
        self.observation_space, self.action_space = Discrete(self.rows * self.columns), Discrete(4)

    def reset(self, *, seed: "int | None" = None, options: "dict | None" = None):
        super().reset(seed=seed)
        self.s = "".join(self.desc).index("S")
        return self.s, {"prob": 1}

    def step(self, action):
        if action not in (0, 1, 2, 3):
            raise KeyError(action)
        row, column = divmod(self.s, self.columns)
        if self.desc[row][column] in "GH":
            return self.s, 0, True, False, {"prob": 1.0}
        p = 1.0
        if self.is_slippery:
            fail = (1 - self.success_rate) / 2
            x = self.np_random.random()
            turn = -1 if x < fail else 0 if x < fail + self.success_rate else 1
            action, p = (action + turn) % 4, self.success_rate if turn == 0 else fail
        row = min(max(row + (0, 1, 0, -1)[action], 0), self.rows - 1)
        column = min(max(column + (-1, 0, 1, 0)[action], 0), self.columns - 1)
        self.s, letter = row * self.columns + column, self.desc[row][column]
        return self.s, self.rewards.get(letter, self.rewards["F"]), letter in "GH", False, {"prob": p}


class CliffWalkingEnv(Env):
    observation_space, action_space = Discrete(48), Discrete(4)

    def __init__(self, render_mode: "str | None" = None, is_slippery: "bool" = False):
        self.is_slippery = is_slippery

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.s = 36
        return self.s, {"prob": 1}

    def step(self, action):
        if action not in (0, 1, 2, 3):
            raise KeyError(action)
        if self.is_slippery:
            action = (action + self.np_random.randrange(3) - 1) % 4
        row = min(max(self.s // 12 + (-1, 0, 1, 0)[action], 0), 3)
        column = min(max(self.s % 12 + (0, 1, 0, -1)[action], 0), 11)
        fell = row == 3 and 0 < column < 11
        self.s = 36 if fell else row * 12 + column
        return self.s, -100 if fell else -1, self.s == 47, False, {"prob": 1 / 3 if self.is_slippery else 1.0}


class BlackjackEnv(Env):
    observation_space, action_space = Tuple((Discrete(32), Discrete(11), Discrete(2))), Discrete(2)

    def __init__(self, render_mode: "str | None" = None, natural=False, sab=False):
        self.natural, self.sab = natural, sab

    def draw(self):
        return min(self.np_random.randrange(13) + 1, 10)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.dealer, self.player = [self.draw(), self.draw()], [self.draw(), self.draw()]
        return self.show(), {}

    def step(self, action):
        assert self.action_space.contains(action)
        if action:
            self.player.append(self.draw())
            bust = total(self.player) > 21
            return self.show(), -1.0 if bust else 0.0, bust, False, {}
        while total(self.dealer) < 17:
            self.dealer.append(self.draw())
        mine, other = total(self.player), total(self.dealer)
        other = 0 if other > 21 else other
        return self.show(), float(mine > other) - float(mine < other), True, False, {}

    def show(self):
        return total(self.player), self.dealer[0], int(1 in self.player and sum(self.player) + 10 <= 21)


def total(hand):
    return sum(hand) + (10 if 1 in hand and sum(hand) + 10 <= 21 else 0)
