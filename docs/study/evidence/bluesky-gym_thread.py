# bluesky-gym: CLS007 DET001: close() leaves a thread; reset() draws from numpy.random
import threading

import bluesky_gym
import gymnasium

bluesky_gym.register_envs()
firsts = set()
for _ in range(4):
    env = gymnasium.make("DescentEnv-v0", disable_env_checker=True)
    firsts.add(env.reset(seed=0)[0]["target_altitude"].tobytes())
    env.close()
left = [thread.name for thread in threading.enumerate() if "receiver" in thread.name]
print(f"left of four closed instances: {left}; {len(firsts)} different targets with seed 0")
assert len(left) == 4 and len(firsts) > 1
