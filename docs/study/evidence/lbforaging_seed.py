# lbforaging: DET001: reset() with one seed differs, because players of the last episode stand in the way
import gymnasium
import lbforaging  # noqa: F401

env = gymnasium.make("Foraging-8x8-2p-1f-v3", disable_env_checker=True)
first = [env.reset(seed=0)[0] for _ in range(6)]
alike = [all((a == b).all() for a, b in zip(first[0], other)) for other in first]
print(f"six times reset(seed=0), equal to the first: {alike}")
assert not all(alike)
