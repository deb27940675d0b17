"""Volleyball of two slimes; the game is shown in a window."""

import gymnasium
import numpy as np
import rendering


class Game:
    def __init__(self, np_random):
        self.ball = np_random.uniform(-1.0, 1.0, 2)
        self.speed = np_random.uniform(-0.1, 0.1, 2)
        self.agent = 0.0

    def step(self, action):
        self.agent = float(np.clip(self.agent + 0.1 * (int(action) - 1), -1.0, 1.0))
        self.ball = self.ball + self.speed
        self.speed = np.where(np.abs(self.ball) > 1.0, -self.speed, self.speed)
        self.speed = self.speed - np.array([0.0, 0.005])
        return bool(self.ball[1] < -1.0 and abs(self.ball[0] - self.agent) > 0.3)

    def observation(self):
        return np.array([*self.ball, self.agent], np.float32).clip(-10, 10)

    def display(self):
        image = np.zeros((64, 64, 3), np.uint8)
        x, y = ((self.ball.clip(-1, 1) + 1.0) * 31).astype(int)
        image[63 - y, x] = 255
        return image


class SlimeVolleyEnv(gymnasium.Env):
    metadata = {"render_modes": ["human", "rgb_array"], "render_fps": 50}
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self, render_mode="human"):
        self.render_mode = render_mode
        self.viewer = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.game = Game(self.np_random)
        self.t = 0
        return self.game.observation(), {}

    def step(self, action):
        lost = self.game.step(action)
        self.t += 1
        return self.game.observation(), -1.0 if lost else 0.0, lost, self.t == 300, {}

    def render(self):
        if self.viewer is None:
            self.viewer = rendering.Viewer(64, 64)
        image = self.viewer.render(self.game.display())
        return image if self.render_mode == "rgb_array" else None


class Cured(SlimeVolleyEnv):
    def close(self):
        if self.viewer is not None:
            self.viewer.close()
            self.viewer = None
