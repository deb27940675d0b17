"""The same, where reset() waits for as many results as it has asked for."""

import numpy as np
import train


class AtariVectorEnv(train.AtariVectorEnv):
    def reset(self, *, seed=None, options=None):
        mask = (options or {}).get("reset_mask", np.ones(self.num_envs, bool))
        indices = np.flatnonzero(mask)
        for index in indices:
            self.actions.put((index, "reset", None if seed is None else seed + int(index)))
        self.recv(len(indices))
        return self.screens.copy(), {}


if __name__ == "__main__":
    train.main(AtariVectorEnv)
