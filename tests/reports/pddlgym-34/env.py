"""Importing the environment chooses matplotlib's backend for the process."""

import matplotlib
from fixed import Hanoi

matplotlib.use("Agg")

__all__ = ["Hanoi"]
