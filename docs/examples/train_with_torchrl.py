"""A collector that plays CartPole in two workers."""

from torchrl.collectors import Collector
from torchrl.envs import GymEnv, ParallelEnv


def main():
    envs = ParallelEnv(2, lambda: GymEnv("CartPole-v1"))
    collector = Collector(envs, None, frames_per_batch=200, total_frames=1000)
    print(sum(batch.numel() for batch in collector), "frames")
    collector.shutdown()


if __name__ == "__main__":
    main()
