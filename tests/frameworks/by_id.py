"""A factory that builds from an id, which only a script that has imported its package knows."""


def walker():
    """As TorchRL's guide has it."""
    from torchrl.envs import GymEnv

    return GymEnv("ZooReg003-v0")
