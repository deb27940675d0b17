"""An environment of a trainer of language models: its methods are the tools of a model."""


class CountdownEnv:
    """A number that is to be brought to a target."""

    def __init__(self):
        self._counter, self._target, self._moves = 0, 10, 0

    def reset(self, target=10, **example):
        self._counter, self._target, self._moves = 0, target, 0

    def add(self, number: int) -> str:
        """Add a number from 1 to 5."""
        self._counter += number
        self._moves += 1
        return f"{self._counter} of {self._target}"

    def get_reward(self) -> float:
        return float(self._counter == self._target) - 0.1 * self._moves
