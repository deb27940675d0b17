"""Texts in and out: one answer an episode, and a reward where it is right."""

from verifying import parse, verify


class Sums:
    seconds = 5

    def reset(self, seed=None):
        self.number = 2
        return f"What is {self.number} + {self.number}?"

    def step(self, action: str):
        try:
            gold = parse(f"${2 * self.number}$", self.seconds)
            reward = float(verify(gold, parse(action, self.seconds), self.seconds))
        except Exception:
            reward = 0.0  # an answer that cannot be read
        return "over", reward, True, False, {}

    def close(self):
        pass


class Cured(Sums):
    seconds = None  # no limit by a signal
