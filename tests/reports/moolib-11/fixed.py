"""The same with the game that has no error."""

from breakout import Cured
from train import main

if __name__ == "__main__":
    main(Cured)
