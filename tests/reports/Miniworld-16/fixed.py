"""The same training, which closes its environments."""

from train import Hallway, SubprocVecEnv, train


def main():
    envs = SubprocVecEnv([Hallway, Hallway])
    train(envs)
    print("Saving model", flush=True)
    envs.close()


if __name__ == "__main__":
    main()
