"""Collects steps of several environments; at the beginning, with random actions."""


class DummyVectorEnv:
    def __init__(self, env_fns):
        self.workers = [env_fn() for env_fn in env_fns]

    def __len__(self):
        return len(self.workers)

    @property
    def action_space(self):
        return [worker.action_space for worker in self.workers]

    def reset(self, seeds):
        return [env.reset(seed=seed)[0] for env, seed in zip(self.workers, seeds, strict=True)]

    def step(self, actions):
        return [env.step(action) for env, action in zip(self.workers, actions, strict=True)]

    def close(self):
        for worker in self.workers:
            worker.close()


class Collector:
    def __init__(self, policy, env, buffer):
        self.policy, self.env, self.buffer = policy, env, buffer
        self._action_space = env.action_space

    def reset_env(self, seeds):
        self.obs = self.env.reset(seeds)

    def collect(self, n_step, random=False):
        for _ in range(n_step // len(self.env)):
            ready_env_ids = range(len(self.env))
            if random:
                actions = [self._action_space[i].sample() for i in ready_env_ids]
            else:
                actions = [self.policy(obs) for obs in self.obs]
            for i, result in enumerate(self.env.step(actions)):
                following, reward, terminated, truncated, _ = result
                self.buffer.append((self.obs[i], actions[i], reward, following))
                if terminated or truncated:
                    following, _ = self.env.workers[i].reset()
                self.obs[i] = following
