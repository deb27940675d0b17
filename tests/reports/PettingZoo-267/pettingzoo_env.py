"""Environments of PettingZoo for a trainer of several agents, as RLlib wraps them."""


class PettingZooEnv:
    """An environment whose agents act in turns: what it returns is for the next one to act."""

    def __init__(self, env):
        self.aec_env = env

    def reset(self):
        self.aec_env.reset()
        agent = self.aec_env.agent_selection
        return {agent: self.aec_env.observe(agent)}

    def step(self, action_dict):
        agent = self.aec_env.agent_selection
        self.aec_env.step(action_dict[agent])
        following = self.aec_env.agent_selection
        dones = {"__all__": all(self.aec_env.dones.values())}
        observations = {following: self.aec_env.observe(following)}
        return observations, {following: self.aec_env.rewards[following]}, dones, {}

    def close(self):
        self.aec_env.close()


class ParallelPettingZooEnv:
    """An environment whose agents act at once: all of them are given what they see."""

    def __init__(self, env):
        self.par_env = env

    def reset(self):
        return self.par_env.reset()

    def step(self, action_dict):
        observations, rewards, dones, infos = self.par_env.step(action_dict)
        return observations, rewards, {**dones, "__all__": all(dones.values())}, infos

    def close(self):
        self.par_env.close()
