# jssenv: API015 API011: step() raises IndexError in many episodes, and writes into what reset() returned
from JSSEnv.envs.jss_env import JssEnv

raised, changed = [], 0
for seed in range(5):
    env = JssEnv()
    observation = env.reset()
    mask = observation["action_mask"].copy()
    env.action_space.seed(seed)
    for number in range(1, 1500):
        try:
            _, _, ended, cut, _ = env.step(env.action_space.sample())
        except IndexError as error:
            raised.append((number, str(error)))
            break
        if ended or cut:
            break
    changed += bool((observation["action_mask"] != mask).any())
print(
    f"IndexError in {len(raised)} of 5 episodes, at steps {raised}; the first mask changed in {changed}"
)
assert raised and changed
