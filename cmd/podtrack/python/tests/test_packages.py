"""What the real packages do, in the versions of packages.txt."""

from __future__ import annotations

from typing import Any

import pytest

import podtrack
from podtrack.digests import KEPT_BY_GYMNASIUM

pytestmark = pytest.mark.packages


@pytest.mark.parametrize("name", sorted(set().union(*KEPT_BY_GYMNASIUM.values())))
def test_an_attribute_is_data_whatever_it_is_called(name: str) -> None:
    import gymnasium

    class Level(gymnasium.Env):  # type: ignore[misc, type-arg]
        observation_space = gymnasium.spaces.Discrete(10)
        action_space = gymnasium.spaces.Discrete(2)

        def __init__(self, jump: int) -> None:
            setattr(self, name, jump)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            self.at = 5
            return self.at, {}

    source = ("def step(self, a):\n    self.at = (self.at + (self.%s if a else -1)) %% 10\n"
              "    return self.at, 0, False, False, {}\n")
    exec(source % name, scope := {})
    Level.step = scope["step"]
    versions = [podtrack.Environment(Level(jump)).serve().declaration["version"] for jump in (1, 3, 1)]
    assert versions[0] == versions[2] != versions[1]


def test_what_gymnasium_notes_is_no_data() -> None:
    import gymnasium
    from gymnasium.wrappers import RecordEpisodeStatistics

    class Mine(gymnasium.Wrapper):  # type: ignore[misc, type-arg]
        def step(self, action: Any) -> Any:
            return self.env.step(action)

    def make(steps: int) -> str:
        env = Mine(RecordEpisodeStatistics(gymnasium.make("FrozenLake-v1")))
        env.reset(seed=3)
        for _ in range(steps):
            if any(env.step(1)[2:4]):
                env.reset()
        return str(podtrack.Environment(env).serve().declaration["version"])

    assert make(0) == make(50)
