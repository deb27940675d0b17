"""A game of a learning environment; its images are shown in a window."""

import mmap
import os

import gymnasium
import numpy as np


class SimpleImageViewer:
    """A window: the display server draws from memory that both have."""

    def __init__(self):
        self.pixmap = os.memfd_create("pixmap")
        os.ftruncate(self.pixmap, 64 * 64 * 3)
        self.memory = mmap.mmap(self.pixmap, 64 * 64 * 3)
        self.isopen = True

    def imshow(self, image):
        self.memory.seek(0)
        self.memory.write(image.tobytes())

    def close(self):
        if self.isopen:
            self.memory.close()
            os.close(self.pixmap)
            self.isopen = False


class FlappyBird:
    def __init__(self, random):
        self.random = random

    def init(self):
        self.height, self.speed, self.gap = 32.0, 0.0, float(self.random.uniform(20, 44))
        self.distance = 40

    def act(self, flap):
        self.speed = -3.0 if flap else self.speed + 1.0
        self.height += self.speed
        self.distance -= 1
        if self.distance == 0:
            self.distance, self.gap = 40, float(self.random.uniform(20, 44))
        return 1.0 if self.distance == 20 else 0.0

    def game_over(self):
        passes = self.distance == 20
        return not 0 < self.height < 63 or bool(passes and abs(self.height - self.gap) > 12)

    def screen(self):
        image = np.zeros((64, 64, 3), np.uint8)
        image[int(np.clip(self.height, 0, 63)), 20] = 255
        image[:, min(20 + self.distance, 63), 1] = 200
        return image


class PLEEnv(gymnasium.Env):
    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 30}
    observation_space = gymnasium.spaces.Box(0, 255, (64, 64, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, render_mode="human"):
        self.render_mode = render_mode
        self.viewer = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.game = FlappyBird(self.np_random)
        self.game.init()
        return self.game.screen(), {}

    def step(self, action):
        reward = self.game.act(bool(action))
        return self.game.screen(), reward, self.game.game_over(), False, {}

    def render(self):
        image = self.game.screen()
        if self.render_mode == "rgb_array":
            return image
        if self.viewer is None:
            self.viewer = SimpleImageViewer()
        self.viewer.imshow(image)
        return None


class Cured(PLEEnv):
    def close(self):
        if self.viewer is not None:
            self.viewer.close()
            self.viewer = None
