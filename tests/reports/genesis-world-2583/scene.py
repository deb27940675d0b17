"""A viewer draws the scene in a thread; the error of a plugin ends that thread, and nothing else."""

import threading

import gymnasium
import numpy as np


class Plugin:
    """Draws an arrow to the target; there are three colors."""

    colors = (80, 160, 240)

    def on_draw(self, image, scene):
        row, column = scene["target"]
        image[row, column] = self.colors[scene["reached"]]


class Viewer:
    def __init__(self, plugins):
        self.plugins, self.active, self.exception = plugins, True, None
        self.image = np.zeros((16, 16), np.uint8)
        self.scene, self.due, self.drawn = None, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run, name="viewer", daemon=True)
        self.thread.start()

    def run(self):
        while True:
            self.due.wait()
            self.due.clear()
            if not self.active:
                return
            self.refresh()
            self.drawn.set()

    def refresh(self):
        image = np.zeros((16, 16), np.uint8)
        row, column = self.scene["robot"]
        image[row, column] = 255
        for plugin in self.plugins:
            plugin.on_draw(image, self.scene)
        self.image = image

    def is_alive(self):
        return self.active

    def update(self, scene):
        if not self.is_alive():
            raise RuntimeError("Viewer closed.")
        self.scene = scene
        self.drawn.clear()
        self.due.set()
        self.drawn.wait(0.05)

    def close(self):
        self.active = False
        self.due.set()
        self.thread.join()


class CuredPlugin(Plugin):
    def on_draw(self, image, scene):
        row, column = scene["target"]
        image[row, column] = self.colors[min(scene["reached"], 2)]


class Scene(gymnasium.Env):
    """A robot goes to a target, and to the next one when it is there."""

    metadata = {"render_modes": ["rgb_array"]}
    observation_space = gymnasium.spaces.Box(0, 15, (4,), np.int64)
    action_space = gymnasium.spaces.Discrete(4)
    moves = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    plugin_class = Plugin
    render_mode = "rgb_array"

    def __init__(self):
        self.viewer = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.viewer is None:
            self.viewer = Viewer([self.plugin_class()])
        self.robot = self.np_random.integers(6, 10, 2)
        self.reached = self.steps = 0
        self.aim()
        self.viewer.update(self.scene())
        return self.look(), {}

    def aim(self):
        self.target = np.clip(self.robot + self.np_random.integers(-1, 2, 2), 0, 15)

    def scene(self):
        return {"robot": self.robot, "target": self.target, "reached": self.reached}

    def look(self):
        return np.concatenate([self.robot, self.target])

    def step(self, action):
        self.robot = np.clip(self.robot + self.moves[action], 0, 15)
        reward = 0.0
        if np.abs(self.robot - self.target).sum() <= 1:
            self.reached, reward = self.reached + 1, 1.0
            self.aim()
        self.steps += 1
        self.viewer.update(self.scene())
        return self.look(), reward, False, self.steps == 60, {}

    def render(self):
        return np.repeat(self.viewer.image[..., None], 3, axis=2)

    def close(self):
        if self.viewer is not None:
            self.viewer.close()
            self.viewer = None


class Cured(Scene):
    plugin_class = CuredPlugin
