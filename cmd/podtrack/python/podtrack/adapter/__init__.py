"""The adapter for environments in Python, whose modules the program has, too: they are in replay/external/adapter."""
