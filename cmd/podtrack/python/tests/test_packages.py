"""What the real packages do, in the versions of packages.txt."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
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


VERSION = """
import sys, gymnasium, podtrack
from podtrack.adapter import gym
made = gymnasium.make("FrozenLake-v1")
print(gym.named(["FrozenLake-v1"]).declaration["version"])
print(podtrack.Environment(made).serve().declaration["version"])
print(podtrack.Environment(gymnasium.wrappers.TransformReward(made, lambda r: r)).serve().declaration["version"])
"""


@pytest.mark.parametrize("place", ["site-packages", "editable"])
def test_the_code_of_a_package_is_part_of_the_version(place: str, tmp_path: Path) -> None:
    """Whether it was edited where it was installed, or is being developed; a comment is an edit, too."""
    import gymnasium

    installed = Path(gymnasium.__file__).parent
    folder = tmp_path / place
    shutil.copytree(installed, folder / "gymnasium", ignore=shutil.ignore_patterns("__pycache__"))
    lake = folder / "gymnasium/envs/toy_text/frozen_lake.py"

    def versions() -> list[str]:
        path = os.pathsep.join([str(folder), str(Path(podtrack.__file__).parents[1])])
        return subprocess.run([sys.executable, "-B", "-c", VERSION], env={**os.environ, "PYTHONPATH": path}, check=True,
                              capture_output=True, text=True, cwd=tmp_path).stdout.splitlines()

    before = versions()
    assert versions() == before and before[0].startswith("adapter 2, gymnasium 1.4.0 ") and before[0] == before[1]
    text = lake.read_text()
    lake.write_text(text.replace("1.0 / 3.0", "1.0 / 2.0"))
    edited = versions()
    assert all(a != b for a, b in zip(before, edited))
    lake.write_text(text)
    assert versions() == before
    (folder / "gymnasium/envs/toy_text/levels.txt").write_text("a level")
    assert versions()[0] != before[0]


def test_another_numpy_is_tried_before_a_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of Pendulum follow from NumPy's version where torques are fractions: a run has those of one."""
    other = os.environ.get("PODTRACK_NUMPY1")
    if not other:
        pytest.skip("PODTRACK_NUMPY1 names no folder with NumPy 1.26.4")
    monkeypatch.setenv("PODTRACK_PYTHON", sys.executable)

    def run(actions: int, iterations: int) -> podtrack.Run:
        made: podtrack.Run = podtrack.run(
            env="gym:Pendulum-v1,actions=%d" % actions, store=tmp_path / "runs.db", steps=1000, learner="lspi", kappa=2,
            iterations=iterations)
        return made

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for actions in (3, 4):
            assert run(actions, 1).status == "complete"
        monkeypatch.setenv("PYTHONPATH", other)
        assert len(run(3, 2)) == 2
        for _ in range(2):
            with pytest.raises(podtrack.DifferenceError, match=r"has changed: .* numpy 1\.26.* other steps now"):
                run(4, 2)
        with pytest.warns(podtrack.PodtrackWarning, match="numpy 1.26.4, before 2.4.6"):
            assert not podtrack.open(tmp_path / "runs.db")["@1"].replay(env="gym:Pendulum-v1,actions=4").identical
        monkeypatch.delenv("PYTHONPATH")
        assert len(run(4, 2)) == 2
