# gym-electric-motor: LEK001: every reset() adds to _reset_memory of each plot, which nothing empties
import warnings

import gym_electric_motor  # noqa: F401
import gymnasium

warnings.simplefilter("ignore")
env = gymnasium.make("Cont-CC-PMSM-v0")
plots = env.unwrapped._visualizations[0]._time_plots
lengths = []
for _ in range(3):
    for _ in range(50):
        env.reset()
        env.step(env.action_space.sample())
    lengths.append(len(plots[0]._reset_memory))
print(f"its length after 50, 100, 150 resets: {lengths}; {len(plots)} plots have one")
assert lengths[2] - lengths[1] == lengths[1] - lengths[0] > 0
