"""Each episode is written to the disk, and is kept in a dict as well."""

import sys
import tempfile
from pathlib import Path

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Walker(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (16, 16, 3), np.uint8)
    action_space = gym.spaces.Box(-1, 1, (6,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 50
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 1.0, False, self.left == 0, {}

    def _look(self):
        return self.np_random.integers(0, 255, (16, 16, 3)).astype(np.uint8)


def save(folder, number, episode):
    name = folder / f"{number}.npz"
    np.savez(name, image=np.stack(episode))
    name.unlink()  # the model keeps the disk as it was
    return str(name)


def main():
    env, cache = Walker(), {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(1500):
            episode, cut = [env.reset(seed=3 if number == 0 else None)[0]], False
            while not cut:
                observation, _, _, cut, _ = env.step(env.action_space.sample())
                episode.append(observation)
            cache[save(Path(folder), number, episode)] = np.stack(episode)
            while FIXED and len(cache) > 100:
                del cache[next(iter(cache))]
    env.close()


if __name__ == "__main__":
    main()
