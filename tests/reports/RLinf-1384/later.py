"""The simulator of one worker cannot be reset any more after a while; the worker's exception ends it, the trainer waits."""

import train
from train import Kitchen


class Fades(Kitchen):
    def __init__(self, device):
        self.device, self.resets = device, 0

    def reset(self, *, seed=None, options=None):
        self.resets += 1
        if self.device == 1 and self.resets == 12:
            raise RuntimeError("renderer lost")
        return super().reset(seed=seed)


if __name__ == "__main__":
    train.Kitchen = Fades
    train.main()
