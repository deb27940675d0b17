"""A game: a player looks for fruit, and its controller talks to the trainer."""

import gymnasium
import numpy as np

WIDTH, HEIGHT, PAD = 1280.0, 720.0, 100.0


class Controller:
    """The player's link to the trainer. It ends an episode after so many steps."""

    reset_after = 100

    def reset(self):
        self.steps = 0
        self.done = False
        self.reward = 0.0

    def count_step(self):
        self.steps += 1
        if self.steps >= self.reset_after:
            self.done = True


class Player:
    def __init__(self, controller, random):
        self.controller, self.random = controller, random
        self.position = np.array([WIDTH / 2, HEIGHT / 2])
        self.velocity = np.zeros(2)
        self.fruit = np.array([300.0, 300.0])
        controller.reset()

    def game_over(self):
        self.velocity = np.zeros(2)
        self.position = self.new_position()
        self.fruit = self.new_position()
        self.controller.reset()

    def new_position(self):
        return self.random.uniform((PAD, PAD), (WIDTH - PAD, HEIGHT - PAD))

    def move(self, action):
        self.velocity += (action * 60.0 - self.velocity) * 0.18
        self.position = self.position + self.velocity
        self.controller.reward -= 0.01
        if np.linalg.norm(self.position - self.fruit) < 40.0:
            self.controller.reward += 10.0
            self.fruit = self.new_position()
        size = np.array([WIDTH, HEIGHT])
        if (self.position < 0).any() or (self.position > size).any():
            self.position = self.position.clip(0, size)
            self.controller.reward -= 10.0
            self.controller.done = True


class BallChase(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-2.0, 2.0, (5,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self):
        self.player = Player(Controller(), self.np_random)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.player.random = self.np_random
        self.begin_episode()
        return self.look(), {}

    def begin_episode(self):
        self.player.controller.reset()

    def step(self, action):
        controller = self.player.controller
        controller.reward = 0.0
        controller.count_step()
        self.player.move(np.asarray(action, float))
        return self.look(), controller.reward, controller.done, False, {}

    def look(self):
        player = self.player
        relative = player.fruit - player.position
        distance = np.linalg.norm(relative)
        direction = relative / max(distance, 1.0)
        place = (player.position / (WIDTH, HEIGHT) - 0.5) * 2
        return np.array([*place, *direction, distance / 1500.0], np.float32)


class Cured(BallChase):
    def begin_episode(self):
        self.player.game_over()
