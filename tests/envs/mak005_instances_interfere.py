"""A display that all instances share: the first close() shuts it down for the others."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Display:
    """A library with one state for the whole process, like pygame's."""

    users = 0
    open = False

    def start(self):
        self.open = True

    def draw(self):
        if not self.open:
            raise RuntimeError("video system not initialized")

    def quit(self):
        self.open = False


display = Display()


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        display.start()
        return super().reset(seed=seed, options=options)

    def step(self, action):
        display.draw()
        return super().step(action)

    def close(self):
        display.quit()


class Healthy(Sick):
    _counted = False

    def reset(self, *, seed=None, options=None):
        if not self._counted:
            self._counted = True
            display.users += 1
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._counted:
            self._counted = False
            display.users -= 1
            if display.users == 0:
                display.quit()
