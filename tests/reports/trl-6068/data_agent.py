"""An environment of a trainer of language models: reset() gives the task, methods are tools."""

import random


class DataAgentEnv:
    """Files with numbers. The task is to give the total of one of them."""

    def __init__(self):
        self._random = random.Random(3)

    def reset(self, **example):
        numbers = {name: self._random.randint(1, 99) for name in ("cities", "rivers", "peaks")}
        self._files = {f"{name}.csv": number for name, number in numbers.items()}
        self._task = self._random.choice(sorted(self._files))
        self._reward = 0.0
        return f"The total of {self._task} is wanted. Submit it."

    def read(self, name: str) -> str:
        """Read a file, such as 'cities.csv'."""
        return str(self._files.get(name, "no such file"))

    def submit(self, answer: str) -> str:
        """Submit an answer."""
        self._reward = float(answer == str(self._files[self._task]))
        return "thank you"

    def get_reward(self) -> float:
        return self._reward
