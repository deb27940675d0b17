"""Importing the environment chooses matplotlib's backend for the process."""

import matplotlib as mpl
from fixed import Hanoi

mpl.use("Agg")

__all__ = ["Hanoi"]
