"""A passive viewer: a thread draws, and takes what the simulation asks it to show."""

import sys
import threading
import time

FIXED = "fixed" in sys.argv
CLOSED, GONE = 1, 2


class Simulate:
    """The window and its render loop. A user closes it after some frames."""

    def __init__(self, frames):
        self.exit_request = 0
        self.texts = None
        self.texts_request = None
        self.frames = frames

    def render_loop(self):
        while self.exit_request == 0:
            if self.texts_request is not None:
                self.texts, self.texts_request = self.texts_request, None
            self.frames -= 1
            if self.frames == 0:
                self.exit_request = CLOSED
            time.sleep(0.005)
        self.free_resources()
        self.exit_request = GONE

    def free_resources(self):
        time.sleep(0.3)


class Handle:
    def __init__(self, sim):
        self.sim = sim

    def is_running(self):
        return self.sim.exit_request < GONE

    def set_texts(self, texts):
        if FIXED and self.sim.exit_request:
            return
        self.sim.texts_request = texts
        self.wait_for_render_loop()

    def wait_for_render_loop(self):
        while self.sim.texts_request is not None:
            if FIXED and self.sim.exit_request:
                break
            time.sleep(0.001)

    def close(self):
        self.sim.exit_request = self.sim.exit_request or CLOSED


def launch_passive(frames):
    sim = Simulate(frames)
    threading.Thread(target=sim.render_loop, name="render_loop").start()
    return Handle(sim)
