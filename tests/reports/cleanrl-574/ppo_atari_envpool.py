"""A training on a pool of games that resets them by itself; a wrapper counts their episodes."""

import sys

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv


class AtariPool(gymnasium.Env):
    """Several games in one. A game that has ended begins anew with the next step."""

    max_episode_steps = 30

    def __init__(self, num_envs):
        self.num_envs = num_envs
        self.observation_space = gymnasium.spaces.Box(-50.0, 50.0, (num_envs, 2), np.float32)
        self.action_space = gymnasium.spaces.MultiDiscrete([3] * num_envs)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = np.zeros(self.num_envs)
        self.steps = np.zeros(self.num_envs, int)
        self.over = np.zeros(self.num_envs, bool)
        return self.look(), {}

    def look(self):
        return np.stack([self.place, self.steps], axis=1).astype(np.float32)

    def step(self, action):
        self.place[self.over] = 0.0
        self.steps[self.over] = 0
        playing = ~self.over
        self.place += playing * (
            np.asarray(action) - 1 + self.np_random.normal(0.0, 1.0, self.num_envs)
        )
        self.steps += playing
        terminated = np.abs(self.place) > 9.0
        truncated = (self.steps == self.max_episode_steps) & ~terminated
        self.over = terminated | truncated
        info = {"reward": 1.0 * playing, "terminated": terminated, "TimeLimit.truncated": truncated}
        return self.look(), 1.0 * playing, terminated, truncated, info


class RecordEpisodeStatistics(gymnasium.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.num_envs = env.num_envs

    def reset(self, **kwargs):
        observations, infos = super().reset(**kwargs)
        self.episode_returns = np.zeros(self.num_envs, np.float32)
        self.episode_lengths = np.zeros(self.num_envs, np.int32)
        return observations, infos

    def step(self, action):
        observations, rewards, terminated, truncated, infos = super().step(action)
        self.episode_returns += infos["reward"]
        self.episode_lengths += 1
        infos["r"] = self.episode_returns.copy()
        infos["l"] = self.episode_lengths.copy()
        over = infos["terminated"]
        if FIXED:
            over = over | infos["TimeLimit.truncated"]
        self.episode_returns *= 1 - over
        self.episode_lengths *= 1 - over
        return observations, rewards, terminated, truncated, infos


def main():
    rng = np.random.default_rng(1)
    envs = RecordEpisodeStatistics(AtariPool(4))
    obs, _ = envs.reset(seed=1)
    returns = []
    for _ in range(1500):
        action = np.where(rng.random(4) < 0.5, rng.integers(0, 3, 4), 1 - np.sign(obs[:, 0]))
        obs, _, terminated, truncated, info = envs.step(action.astype(int))
        returns += info["r"][terminated | truncated].tolist()
    print(
        f"{len(returns)} episodes, mean return {np.mean(returns):.1f}, longest {max(returns):.0f}"
    )
    envs.close()


if __name__ == "__main__":
    main()
