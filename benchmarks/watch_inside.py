"""Blocks of a training, with the methods that `watch` counts in their classes and with the
originals in their place: `watch_overhead.py` runs this in the interpreter of a training.

    watch_inside.py PAIRS NAME...
"""

from __future__ import annotations

import json
import statistics
import sys
import time

import gymnasium
import numpy as np


class Null(gymnasium.Env):
    """What an environment takes that does nothing."""

    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):  # noqa: ARG002
        return 0, {}

    def step(self, action):  # noqa: ARG002
        return 0, 0.0, False, False, {}


def null():
    """20,000 steps of it."""
    env = Null()

    def block():
        for _ in range(20_000):
            env.step(0)
        return 20_000

    return [Null], block


def cartpole(env):
    """2,000 steps of CartPole with random actions."""

    def block():
        env.action_space.seed(0)
        env.reset(seed=0)
        for _ in range(2_000):
            observation, _, ended, cut, _ = env.step(env.action_space.sample())
            np.asarray(observation, dtype=np.float32)
            if ended or cut:
                env.reset()
        return 2_000

    return [type(env.unwrapped)], block


def networks():
    """Those of CleanRL's ppo.py: (actor, critic, the parameters of both, optimizer)."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(1)

    def layer(inputs, outputs, scale=2**0.5):
        made = nn.Linear(inputs, outputs)
        nn.init.orthogonal_(made.weight, scale)
        nn.init.constant_(made.bias, 0.0)
        return made

    def network(outputs, scale):
        return nn.Sequential(
            layer(4, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, outputs, scale)
        )

    actor, critic = network(2, 0.01), network(1, 1.0)
    parameters = [*actor.parameters(), *critic.parameters()]
    return actor, critic, parameters, torch.optim.Adam(parameters, lr=2.5e-4, eps=1e-5)


def cleanrl():
    """An update of CleanRL's ppo.py with its defaults for CartPole: 512 steps of four environments,
    four epochs of four minibatches, a network of 64 and 64.
    """
    import torch
    from torch import nn
    from torch.distributions import Categorical

    steps, width = 128, 4

    def make():
        return gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make("CartPole-v1"))

    envs = gymnasium.vector.SyncVectorEnv([make] * width)
    actor, critic, parameters, optimizer = networks()
    seen = torch.zeros((steps, width, 4))
    actions, chances, rewards, ends, values = torch.zeros((5, steps, width))
    observation = torch.tensor(envs.reset(seed=1)[0])
    ended = torch.zeros(width)

    def block():
        nonlocal observation, ended
        for at in range(steps):
            seen[at], ends[at] = observation, ended
            with torch.no_grad():
                choice = Categorical(logits=actor(observation))
                action = choice.sample()
                values[at] = critic(observation).flatten()
            actions[at], chances[at] = action, choice.log_prob(action)
            next_, reward, over, cut, _ = envs.step(action.numpy())
            rewards[at] = torch.tensor(reward)
            observation, ended = torch.tensor(next_), torch.tensor(over | cut, dtype=torch.float32)
        with torch.no_grad():
            following = critic(observation).flatten()
            advantages, last = torch.zeros_like(rewards), torch.zeros(width)
            for at in reversed(range(steps)):
                going = 1.0 - (ended if at == steps - 1 else ends[at + 1])
                then = following if at == steps - 1 else values[at + 1]
                error = rewards[at] + 0.99 * then * going - values[at]
                advantages[at] = last = error + 0.99 * 0.95 * going * last
            returns = advantages + values
        flat = seen.reshape(-1, 4)
        for _ in range(4):
            for chosen in torch.randperm(steps * width).split(128):
                choice = Categorical(logits=actor(flat[chosen]))
                ratio = (
                    choice.log_prob(actions.flatten()[chosen]) - chances.flatten()[chosen]
                ).exp()
                gain = advantages.flatten()[chosen]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                policy = torch.max(-gain * ratio, -gain * ratio.clamp(0.8, 1.2)).mean()
                value = ((critic(flat[chosen]).flatten() - returns.flatten()[chosen]) ** 2).mean()
                optimizer.zero_grad()
                (policy - 0.01 * choice.entropy().mean() + 0.25 * value).backward()
                nn.utils.clip_grad_norm_(parameters, 0.5)
                optimizer.step()
        return steps * width

    return [type(envs.envs[0].unwrapped)], block


def sb3():
    """512 steps of Stable-Baselines3's PPO under DummyVecEnv, with their update."""
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_util import make_vec_env

    torch.set_num_threads(1)
    envs = make_vec_env("CartPole-v1", n_envs=4, seed=1)
    model = PPO("MlpPolicy", envs, n_steps=128, batch_size=128, n_epochs=4, seed=1, device="cpu")

    def block():
        model.learn(512, reset_num_timesteps=False)
        return 512

    return [type(envs.envs[0].unwrapped)], block


TRAININGS = {
    "null": null,
    "CartPole": lambda: cartpole(gymnasium.make("CartPole-v1").unwrapped),
    "CartPole, wrapped": lambda: cartpole(gymnasium.make("CartPole-v1")),
    "CleanRL's ppo.py": cleanrl,
    "Stable-Baselines3's PPO": sb3,
}


def pairs(classes, block, number):
    """Nanoseconds of CPU a step, counted and not, of each pair. Which comes first alternates."""
    counted = {(one, name): vars(one)[name] for one in classes for name in ("step", "reset")}
    plain = {key: method.__wrapped__ for key, method in counted.items()}

    def measured(methods):
        for (owner, name), method in methods.items():
            setattr(owner, name, method)
        began = time.thread_time_ns()
        steps = block()
        return (time.thread_time_ns() - began) / steps

    measured(counted), measured(plain)
    found = []
    for at in range(number):
        first, second = (counted, plain) if at % 2 else (plain, counted)
        taken = measured(first), measured(second)
        found.append(taken if at % 2 else taken[::-1])
    measured(counted)
    return found


def summary(found):
    """The medians, and the interval that has the median share in 19 of 20 cases."""
    ratios = sorted(a / b - 1 for a, b in found)
    reach = 0.98 * len(ratios) ** 0.5
    low, high = int(len(ratios) / 2 - reach), int(len(ratios) / 2 + reach)
    return {
        "without": statistics.median(b for _, b in found),
        "more": statistics.median(a - b for a, b in found),
        "share": statistics.median(ratios),
        "from": ratios[max(0, low)],
        "to": ratios[min(len(ratios) - 1, high)],
    }


if __name__ == "__main__":
    for name in sys.argv[2:]:
        measured_pairs = pairs(*TRAININGS[name](), int(sys.argv[1]))
        print(json.dumps({"name": name, **summary(measured_pairs)}), flush=True)
