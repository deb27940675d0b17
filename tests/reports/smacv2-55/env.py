"""reset() waits until no units are left, on a map whose trigger brings them back."""

import gymnasium
import numpy as np

TEAM = 3


class Game:
    """A map; its trigger starts a new fight where no units are left."""

    def __init__(self, has_trigger):
        self.has_trigger = has_trigger
        self.health = np.zeros(0, np.float32)

    def spawn(self, teams, health=45.0):
        self.health = np.full(teams * TEAM, health, np.float32)

    def step(self, frames):
        for _ in range(frames):
            if self.has_trigger and not self.health.size:
                self.spawn(2)

    def kill(self):
        self.health = np.zeros(0, np.float32)


class StarCraft2(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 45.0, (TEAM,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    has_trigger = True

    def __init__(self):
        self.game = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.game is None:
            self.game = Game(self.has_trigger)
        else:
            self.kill_all_units()
        self.game.spawn(1, self.np_random.uniform(20.0, 45.0))
        self.left = 20
        return self.game.health.copy(), {}

    def kill_all_units(self):
        self.game.kill()
        self.game.step(2)
        while self.game.health.size > 0:
            self.game.step(2)

    def step(self, action):
        self.left -= 1
        unit = int(action) % TEAM
        self.game.health[unit] = max(self.game.health[unit] - 1.0, 0.0)
        return self.game.health.copy(), 0.0, self.left == 0, False, {}


class Cured(StarCraft2):
    has_trigger = False
