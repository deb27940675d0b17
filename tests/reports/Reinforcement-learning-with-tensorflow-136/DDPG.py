"""An actor and a critic, each with a target network that is replaced from time to time."""

import sys

import numpy as np
from arm_env import ArmEnv
from graph import Session, Variable, assign

FIXED = "fixed" in sys.argv
MAX_EPISODES, MAX_EP_STEPS, MEMORY_CAPACITY = 220, 100, 500
sess = Session()


class Network:
    def __init__(self, shapes, replace_iter):
        self.e_params = [Variable(np.random.randn(*shape) * 0.1) for shape in shapes]
        self.t_params = [Variable(param.array.copy()) for param in self.e_params]
        self.replace_iter, self.replace_counter = replace_iter, 0
        self.replace = self.replacements() if FIXED else None

    def replacements(self):
        return [assign(t, e) for t, e in zip(self.t_params, self.e_params, strict=True)]

    def learn(self, states, errors):
        for param in self.e_params:
            param.array *= 1.0 - 1e-4 * float(np.mean(errors))
        if self.replace_counter % self.replace_iter == 0:
            sess.run(self.replace if FIXED else self.replacements())
        self.replace_counter += 1


def train():
    np.random.seed(1)
    env = ArmEnv()
    shapes = [(4, 30), (30,), (30, 2), (2,)]
    actor, critic = Network(shapes, 10), Network(shapes, 10)
    memory, pointer, var = np.zeros((MEMORY_CAPACITY, 4)), 0, 2.0
    for ep in range(MAX_EPISODES):
        s, ep_reward = env.reset(), 0.0
        for _ in range(MAX_EP_STEPS):
            hidden = np.tanh(s @ actor.e_params[0].array + actor.e_params[1].array)
            a = np.tanh(hidden @ actor.e_params[2].array + actor.e_params[3].array)
            s_, r, done = env.step(np.random.normal(a, var))
            memory[pointer % MEMORY_CAPACITY] = s
            pointer += 1
            if pointer > MEMORY_CAPACITY:
                var = max(var * 0.9999, 0.1)
                batch = memory[np.random.choice(MEMORY_CAPACITY, 16)]
                critic.learn(batch, batch[:, 0] - r)
                actor.learn(batch, batch[:, 1] - r)
            s, ep_reward = s_, ep_reward + r
            if done:
                break
        if ep % 40 == 39:
            print(f"Ep: {ep + 1} | R: {ep_reward:.1f} | Explore: {var:.2f}")


if __name__ == "__main__":
    train()
