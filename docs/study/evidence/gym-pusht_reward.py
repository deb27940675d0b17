# gym-pusht: DET002: with one seed and the same actions, rewards differ in the last digit
import gym_pusht  # noqa: F401
import gymnasium


def rewards():
    env = gymnasium.make("gym_pusht/PushT-v0", disable_env_checker=True)
    env.reset(seed=0)
    env.action_space.seed(0)
    return tuple(float(env.step(env.action_space.sample())[1]) for _ in range(60))


episodes = {rewards() for _ in range(12)}
first, *others = episodes
steps = [
    next(n for n, pair in enumerate(zip(first, other)) if pair[0] != pair[1]) for other in others
]
print(f"{len(episodes)} different episodes of 12; the first differences are at steps {steps}")
assert len(episodes) > 1
