"""Environments in Python's standard library: environments.py NAME serves one, with replay/external in PYTHONPATH.

lake has a number for an observation, as FrozenLake has; breakout 400 bits, as MinAtar's; cart four
numbers, as CartPole. Each has wrappers, as environments of Gymnasium do.
"""

import math
import random
import sys

DIGITS = bytes.maketrans(b"\0\1", b"01")


class Lake:
    """A slippery lake of 4 x 4 fields, four of which are holes."""

    actions, observes = 4, {"kind": "discrete", "n": 16}
    moves = ((0, -1), (1, 0), (0, 1), (-1, 0))
    holes = {5, 7, 11, 12, 15}

    def reset(self, seed=None):
        if seed is not None:
            self.random = random.Random(seed)
        self.field = 0
        return self.field

    def step(self, action):
        chances = [(1 / 3, (action + turn) % 4) for turn in (-1, 0, 1)]
        x, chosen = self.random.random(), 2
        for i, (p, _) in enumerate(chances):
            x -= p
            if x < 0:
                chosen = i
                break
        down, right = self.moves[chances[chosen][1]]
        row, column = divmod(self.field, 4)
        row, column = min(max(row + down, 0), 3), min(max(column + right, 0), 3)
        self.field = row * 4 + column
        return self.field, float(self.field == 15), self.field in self.holes

    def encode(self, observation):
        return observation

    def pack(self, observation):
        return observation.to_bytes(4, "little")


class Breakout:
    """A ball, a paddle and bricks on 10 x 10 fields, in four channels of bits."""

    actions, observes = 3, {"kind": "binary", "features": ["x%d" % i for i in range(400)]}

    def reset(self, seed=None):
        if seed is not None:
            self.random = random.Random(seed)
        self.paddle, self.x, self.y = 4, self.random.choice((0, 9)), 3
        self.right, self.down = self.x == 0, True
        self.bricks = [[1 <= y <= 3] * 10 for y in range(10)]
        self.last = self.x, self.y
        return self.observe()

    def step(self, action):
        self.paddle = min(max(self.paddle + (0, -1, 1)[action], 0), 9)
        self.last = self.x, self.y
        x, y = self.x + (1 if self.right else -1), self.y + (1 if self.down else -1)
        if not 0 <= x <= 9:
            self.right, x = not self.right, min(max(x, 0), 9)
        reward, over = 0.0, False
        if y < 0:
            self.down, y = True, 0
        elif self.bricks[y][x]:
            self.bricks[y][x], reward, self.down, y = False, 1.0, not self.down, self.y
        elif y == 9:
            if not any(map(any, self.bricks)):
                self.bricks = [[1 <= line <= 3] * 10 for line in range(10)]
            if x == self.paddle or self.last[0] == self.paddle:
                self.down, y = False, self.y
            else:
                over = True
        self.x, self.y = x, y
        return self.observe(), reward, over

    def observe(self):
        bits = bytearray(400)
        bits[90 + self.paddle] = 1
        bits[100 + self.y * 10 + self.x] = 1
        bits[200 + self.last[1] * 10 + self.last[0]] = 1
        for y in range(10):
            for x in range(10):
                if self.bricks[y][x]:
                    bits[300 + y * 10 + x] = 1
        return bits

    def encode(self, bits):
        return bits.translate(DIGITS).decode()

    def pack(self, bits):
        return int(bits.translate(DIGITS)[::-1], 2).to_bytes(50, "little")


class Cart:
    """A pole on a cart (Barto, Sutton & Anderson 1983)."""

    actions, observes = 2, {"kind": "real", "features": ["x", "v", "angle", "turn"]}

    def reset(self, seed=None):
        if seed is not None:
            self.random = random.Random(seed)
        self.state = [self.random.uniform(-0.05, 0.05) for _ in range(4)]
        return self.state

    def step(self, action):
        x, v, angle, turn = self.state
        cosine, sine = math.cos(angle), math.sin(angle)
        push = ((10.0 if action else -10.0) + 0.05 * turn * turn * sine) / 1.1
        spin = (9.8 * sine - cosine * push) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1))
        pushed = push - 0.05 * spin * cosine / 1.1
        self.state = [x + 0.02 * v, v + 0.02 * pushed, angle + 0.02 * turn, turn + 0.02 * spin]
        return self.state, 1.0, not (-2.4 < self.state[0] < 2.4 and -0.21 < self.state[2] < 0.21)

    def encode(self, values):
        return values


class Wrapper:
    """One of the wrappers that gymnasium.make puts around an environment."""

    def __init__(self, env):
        self.env = env

    @property
    def actions(self):
        return self.env.actions

    def reset(self, seed=None):
        return self.env.reset(seed)

    def step(self, action):
        return self.env.step(action)


class Ordered(Wrapper):
    """Refuses steps before a reset."""

    begun = False

    def reset(self, seed=None):
        self.begun = True
        return super().reset(seed)

    def step(self, action):
        if not self.begun:
            raise RuntimeError("reset comes first")
        return super().step(action)


class Limited(Wrapper):
    """Truncates episodes."""

    def reset(self, seed=None):
        self.steps = 0
        return super().reset(seed)

    def step(self, action):
        observation, reward, terminated = self.env.step(action)
        self.steps += 1
        return observation, reward, terminated, self.steps >= 100


class Served:
    """What adapter.loop asks of an environment. It adds no layer to those of the loop that is compared."""

    def __init__(self, name, base, env):
        from adapter.loop import pack_reals
        self.reset, self.step, self.encode = env.reset, env.step, base.encode
        self.pack = pack_reals(4) if base.observes["kind"] == "real" else base.pack
        self.declaration = {
            "protocol": 1, "name": name, "version": "1", "actions": [str(i) for i in range(base.actions)],
            "observes": base.observes, "parameters": {},
        }


def main():
    from adapter.loop import serve
    base = {"lake": Lake, "breakout": Breakout, "cart": Cart}[sys.argv[1]]()
    env = Ordered(Limited(base))
    serve(lambda: Served(sys.argv[1], base, env))


if __name__ == "__main__":
    main()
