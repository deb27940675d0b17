"""Tasks and an actor of Ray, which the script starts. Prints how many steps they made."""

import os
import sys

import ray
from gymnasium.envs.classic_control import CartPoleEnv

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def play(steps):
    from tally import counting

    env = counting(CartPoleEnv)()
    env.reset(seed=1)
    for number in range(steps):
        if env.step(number % 2)[2]:
            env.reset()
    env.close()
    return steps


@ray.remote
class Player:
    def play(self, steps):
        return play(steps)


if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    task = ray.remote(play)
    player = Player.remote()
    done = ray.get([*(task.remote(50 + number) for number in range(4)), player.play.remote(70)])
    ray.shutdown()
    print(sum(done))
