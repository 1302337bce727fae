"""Adds the adapter for environments in Python to the package, which the program has too."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SOURCE = Path(__file__).resolve().parents[3] / "replay" / "external"
NAMES = ("podtrack_loop", "podtrack_spaces", "podtrack_make", "podtrack_gym")


class WithAdapter(build_py):
    def run(self):
        super().run()
        target = Path(self.build_lib) / "podtrack" / "adapter_files"
        target.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            shutil.copyfile(SOURCE / (name + ".py"), target / (name + ".py"))


setup(cmdclass={"build_py": WithAdapter})
