# mobile-env: DET001 VEC002: the seed of reset() changes nothing: each instance plays the same episodes
import gymnasium
import mobile_env  # noqa: F401


def make():
    return gymnasium.make("mobile-small-central-v0", disable_env_checker=True)


firsts = {make().reset(seed=seed)[0].tobytes() for seed in range(6)}
env = make()
twice = {env.reset(seed=3)[0].tobytes() for _ in range(2)}
vector = gymnasium.vector.SyncVectorEnv([make, make])
observation = vector.reset(seed=[11, 222])[0]
print(f"six seeds: {len(firsts)} first observation; one seed twice in one instance: {len(twice)}")
print(
    f"two of a vectorizer, seeds 11 and 222, are equal: {(observation[0] == observation[1]).all()}"
)
assert len(firsts) == 1 and len(twice) == 2 and (observation[0] == observation[1]).all()
