"""A window that close() leaves open: the environment inherits a close() that does nothing."""

import gymnasium
import pygame


class Lake(gymnasium.Env):
    metadata = {"render_modes": ["human"], "render_fps": 4}
    observation_space = gymnasium.spaces.Discrete(16)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.window = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        if self.render_mode == "human":
            self.render()
        return self.place, {}

    def step(self, action):
        self.place = min(15, self.place + int(action))
        if self.render_mode == "human":
            self.render()
        return self.place, 0.0, self.place == 15, False, {}

    def render(self):
        if self.window is None:
            pygame.init()
            pygame.display.init()
            self.window = pygame.display.set_mode((64, 64))
        self.window.fill((0, 0, 16 * self.place))
        pygame.event.pump()
        pygame.display.update()


class Cured(Lake):
    drawn = 0  # instances that draw into the one window that pygame has

    def render(self):
        Cured.drawn += self.window is None
        super().render()

    def close(self):
        if self.window is not None:
            self.window = None
            Cured.drawn -= 1
            if Cured.drawn == 0:
                pygame.display.quit()
                pygame.quit()
