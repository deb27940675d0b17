# nle: DET001 API011: one seed gives two dungeons; step() writes into the observation of reset()
import gymnasium
import nle  # noqa: F401

firsts = []
for _ in range(4):
    env = gymnasium.make("NetHackScore-v0", disable_env_checker=True)
    firsts.append(env.reset(seed=0)[0]["blstats"].tolist()[:5])
observation, _ = env.reset(seed=0)
kept = observation["message"].copy()
changed = 0
for action in (0, 1, 2, 3, 0, 1):
    env.step(action)
    changed += bool((observation["message"] != kept).any())
print(
    f"blstats of four instances with seed 0: {firsts}; the message changed in {changed} of 6 steps"
)
assert len(set(map(tuple, firsts))) > 1 and changed
