"""The examples, as a user runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]


@pytest.mark.long
def test_eigenoptions(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, FOLDER / "examples" / "eigenoptions.py", tmp_path], capture_output=True,
                          text=True, env={**os.environ, "PYTHONPATH": str(FOLDER)})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "killed by signal 9, after 2 iterations"
    assert lines[1].startswith("resumed: 4 iterations")
    assert lines[2] == "the head of an uninterrupted run: the same"
    assert lines[3] == "replayed: identical"
    assert lines[5] == "first divergence: iteration 0, stage select"
    assert "its chain holds" in lines[6] and len(lines) == 7
