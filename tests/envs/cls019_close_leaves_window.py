"""A maze on the screen: close() forgets its window, which stays there, frozen, until the
program ends.
"""

from __future__ import annotations

import os

from plain import Plain

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

ARGUMENTS = ["--managers", "direct", "-k", 'render_mode="human"']


class Sick(Plain):
    metadata = {
        "render_modes": ["human", "rgb_array"],
        "render_fps": 60,
    }

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._window = None

    def step(self, action):
        result = super().step(action)
        if self.render_mode == "human":
            self.render()
        return result

    def render(self):
        import pygame

        if self._window is None:
            pygame.display.init()
            self._window = pygame.display.set_mode((64, 64))
            pygame.display.set_caption("Maze")
        self._window.fill((255, 255, 255))
        pygame.draw.circle(self._window, (200, 0, 0), (6 * self._steps, 32), 4)
        pygame.event.pump()
        pygame.display.flip()

    def close(self):
        self._window = None


class Healthy(Sick):
    _windows = 0  # pygame has one for all: the last instance closes it

    def render(self):
        if self._window is None:
            Healthy._windows += 1
        return super().render()

    def close(self):
        import pygame

        if self._window is not None:
            self._window = None
            Healthy._windows -= 1
            if Healthy._windows == 0:
                pygame.display.quit()
