"""The experiment runs in a session of its own, so that Ctrl-C ends the launcher alone."""

import subprocess
import sys

import gymnasium as gym


def experiment():
    envs = [gym.make("CartPole-v1") for _ in range(2)]
    for number, env in enumerate(envs):
        env.reset(seed=number)
    try:
        for _ in range(1_000_000):
            for env in envs:
                _, _, over, cut, _ = env.step(env.action_space.sample())
                if over or cut:
                    env.reset()
    except KeyboardInterrupt:
        pass
    for env in envs:
        env.close()


def main():
    if "experiment" in sys.argv:
        experiment()
        return
    command = [sys.executable, __file__, "experiment"]
    running = subprocess.Popen(command, start_new_session=True)
    running.wait()


if __name__ == "__main__":
    main()
