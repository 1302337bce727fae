__version__ = "1.27.0.standin"
