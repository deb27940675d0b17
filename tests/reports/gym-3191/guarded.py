"""The same script with a guard."""

from env import AsyncVectorEnv, Pole


def main():
    envs = AsyncVectorEnv([Pole, Pole, Pole])
    envs.reset()
    for step in range(20000):
        envs.step([step % 2] * 3)
    envs.close()
    print("done")


if __name__ == "__main__":
    main()
