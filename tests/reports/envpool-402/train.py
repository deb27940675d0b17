"""A native renderer is destroyed while the process exits, after its display: the library aborts."""

import ctypes
import sys

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
EPISODES, STEPS = 10, 30
LIBC = ctypes.CDLL(None)


class NativeLibrary:
    """Pixels are drawn natively. Destructors of its objects run when the process exits."""

    def __init__(self):
        self.displays = 0

    def make_context(self):
        """The first context opens the display. One that still lives at the exit cannot be made
        current any more, and its destructor aborts; where displays are counted, it can.
        """
        self.displays += 1
        if self.displays == 2 and not FIXED:
            abort = ctypes.cast(LIBC.abort, ctypes.c_void_p)
            getattr(LIBC, "__cxa_atexit")(abort, None, None)

    def draw(self, state):
        return np.full((8, 8, 3), np.clip(100 + 10 * state, 0, 255), np.uint8)


NATIVE = NativeLibrary()


class WalkerWalkPixels(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (8, 8, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        NATIVE.make_context()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = float(self.np_random.uniform(-1.0, 1.0))
        self.steps = 0
        return NATIVE.draw(self.state), {}

    def step(self, action):
        self.steps += 1
        self.state += 2.0 * int(action) - 1.0
        return NATIVE.draw(self.state), self.state, False, self.steps == STEPS, {}


def play(env, seed):
    image, _ = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        image, reward, terminated, truncated, _ = env.step(int(image[0, 0, 0] < 100))
        total += reward
        over = terminated or truncated
    return total


if __name__ == "__main__":
    train, evaluate = WalkerWalkPixels(), WalkerWalkPixels()
    for episode in range(EPISODES):
        play(train, episode)
    print(f"the training is done: {play(evaluate, 100):.1f}", flush=True)
    train.close()
    evaluate.close()
