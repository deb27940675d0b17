# gym-mtsim: VEC008: an info that is None ends SyncVectorEnv.step()
import gymnasium
import gym_mtsim  # noqa: F401


def make():
    return gymnasium.make("forex-hedge-v0", disable_env_checker=True)


alone = make()
alone.reset(seed=0)
for _ in range(20):
    alone.step(alone.action_space.sample())
vector = gymnasium.vector.SyncVectorEnv([make, make])
vector.reset(seed=0)
vector.action_space.seed(0)
try:
    for number in range(20):
        vector.step(vector.action_space.sample())
except TypeError as error:
    print(f"20 steps alone go well; step {number + 1} of SyncVectorEnv: TypeError: {error}")
else:
    raise AssertionError("it can be stepped")
