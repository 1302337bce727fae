"""python -m podtrack is the program podtrack."""

from __future__ import annotations

import os
import subprocess
import sys

from .binary import find
from .errors import BinaryError


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    try:
        words = [find(None), *sys.argv[1:]]
    except BinaryError as error:
        print("podtrack: %s" % error, file=sys.stderr)
        sys.exit(2)  # like any other failure of podtrack
    if sys.platform == "win32":  # where the caller of an exec does not wait
        sys.exit(subprocess.run(words).returncode)
    os.execv(words[0], words)


if __name__ == "__main__":
    main()
