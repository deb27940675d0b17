# tetris-gymnasium: DET001: seed 0 is taken for no seed
from tetris_gymnasium.envs.tetris import Tetris


def firsts(seed):
    return {Tetris().reset(seed=seed)[0]["queue"].tobytes() for _ in range(8)}


print(f"different first queues of eight instances: {len(firsts(0))} with seed 0, {len(firsts(1))} with seed 1")
assert len(firsts(0)) > 1 and len(firsts(1)) == 1
