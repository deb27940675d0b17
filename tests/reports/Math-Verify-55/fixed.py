"""The same, without the timeouts that are signals."""

import env
from math_verify import parse, verify


class Sums(env.Sums):
    def step(self, action: str):
        gold = parse(f"${2 * self.number}$", parsing_timeout=None)
        reward = float(verify(gold, parse(action, parsing_timeout=None), timeout_seconds=None))
        return "over", reward, True, False, {}
