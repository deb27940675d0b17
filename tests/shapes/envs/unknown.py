"""What looks a little like an environment, and cannot be played as one."""

import gymnasium


class Game:
    """A game of words for some players."""

    def reset(self, num_players):
        return "your turn"

    def step(self, action):
        return False, {}


class Tools:
    """Its actions are objects of its own, and nothing says so."""

    def reset(self):
        return "ready"

    def step(self, action):
        return f"you said {action.message}"


class Batch:
    """Many at once, of a kind of its own."""

    num_envs = 4

    def reset(self):
        return [0] * 4

    def step(self, actions):
        return [0] * len(actions), [0.0] * 4, [False] * 4, [{}] * 4


class Fleet(Batch):
    """Many at once, of agents, in batches by agent."""

    possible_agents = ("ann", "bob")

    def single_action_space(self, agent):
        return gymnasium.spaces.Discrete(2)

    def action_space(self, agent):
        return gymnasium.spaces.MultiDiscrete([2] * self.num_envs)

    observation_space = action_space


class Waiting:
    """Gives its observations one by one."""

    async def reset(self):
        yield 0

    async def step(self, action):
        yield 0


class Sentences(gymnasium.Space):
    """Any text, of which it draws none."""

    def sample(self, mask=None, probability=None):
        raise NotImplementedError

    def contains(self, x):
        return isinstance(x, str)


class Page(gymnasium.Env):
    """Does what a sentence says, as a browser's do."""

    observation_space = gymnasium.spaces.Discrete(3)
    action_space = Sentences((), str)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        assert isinstance(action, str)
        return 1, 0.0, False, False, {}


class Plain:
    """Nothing says what it takes, and it takes all: played as it always was."""

    def reset(self):
        return 0

    def step(self, action):
        return 0, 0.0, False, {}


class Stuck:
    """Takes any action, and fails for a reason of its own."""

    def reset(self, seed=None):
        return 0, {}

    def step(self, action):
        raise RuntimeError("the arm is stuck")


class Lost:
    """Fails in reset(), with what a bad action would raise, too."""

    def reset(self, seed=None):
        raise KeyError("floor")

    def step(self, action):
        return 0, 0.0, False, False, {}
