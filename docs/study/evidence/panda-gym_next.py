# panda-gym: DET001: reset(seed=0) and then reset(): the second episode is another one each time
import gymnasium
import panda_gym  # noqa: F401

firsts, seconds = set(), set()
for _ in range(4):
    env = gymnasium.make("PandaPush-v3", disable_env_checker=True)
    firsts.add(env.reset(seed=0)[0]["achieved_goal"].tobytes())
    seconds.add(env.reset()[0]["achieved_goal"].tobytes())
print(f"four instances with one seed: {len(firsts)} first beginning, {len(seconds)} second ones")
assert len(firsts) == 1 and len(seconds) > 1
