"""A quiz of SkyRL's kind without SkyRL: one conversation an instance."""

import illnesses


class Quiz:
    """Insists on a prompt, on texts, and on being begun once."""

    turns = None

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def init(self, prompt):
        assert prompt[0]["role"] == "user", prompt
        assert self.turns is None, "it was begun already"
        self._begin()
        self.turns, self.history = 0, list(prompt)
        return prompt, {}

    def step(self, action):
        assert isinstance(action, str), action
        assert self.turns < 4, "it is over"
        self._moved()
        self.turns += 1
        self.history.append({"role": "assistant", "content": action})
        return {
            "observations": [{"role": "user", "content": f"turn {self.turns}"}],
            "reward": 0.5,
            "done": self.turns == 4,
            "metadata": {},
        }


class Healthy(illnesses.Healthy, Quiz):
    pass


class Leaving(illnesses.Leaving, Quiz):
    pass


illnesses.twins(globals(), Quiz)
