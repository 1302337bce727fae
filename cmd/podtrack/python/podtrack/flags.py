"""Flags of the program, from arguments of Python."""

from __future__ import annotations

from typing import Any

from .errors import UsageError

UNDERSCORED = ("max_option_steps", "state_set", "psi_gamma", "psi_passes", "psi_part", "feature_scale",
               "option_probability", "leave_out")
"""Fields of a spec, whose flags are spelled as they are."""


def flags_of(values: dict[str, Any]) -> list[str]:
    """Returns flags of podtrack: None is left out, True has no value, lists are joined by commas."""
    flags = []
    for name, value in values.items():
        if name in ("json", "store"):
            raise UsageError("%s is given by the package" % name, "leave it out")
        if value is None or value is False:
            continue
        if isinstance(value, (list, tuple, range)):
            value = ",".join(map(str, value))
        option = "--" + (name if name in UNDERSCORED else name.replace("_", "-"))
        flags.append(option if value is True else "%s=%s" % (option, value))
    return flags
