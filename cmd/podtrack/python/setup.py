"""Adds the adapter for environments in Python to the package, which the program has too."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SOURCE = Path(__file__).resolve().parent / "podtrack" / "adapter"


class WithAdapter(build_py):
    def run(self):
        super().run()
        target = Path(self.build_lib) / "podtrack" / "adapter"
        target.mkdir(parents=True, exist_ok=True)
        for path in SOURCE.glob("*.py"):
            shutil.copyfile(path, target / path.name)


setup(cmdclass={"build_py": WithAdapter})
