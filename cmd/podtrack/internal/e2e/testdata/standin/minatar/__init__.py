"""A stand-in for minatar."""

from .environment import Environment
