"""Environments of several agents, and how a rollout worker looks at one, as in RLlib 2."""


class MultiAgentEnv:
    def __init__(self):
        if not hasattr(self, "_agent_ids"):
            self._agent_ids = set()

    def get_agent_ids(self):
        return self._agent_ids


def check_env(env):
    observations = env.reset()
    unknown = [agent for agent in observations if agent not in env.get_agent_ids()]
    if unknown:
        raise ValueError(
            "The element returned by reset() has agent_ids that are not the names of the agents"
            f" in the env. Agent_ids in this MultiAgentDict: {list(observations)}. Agent_ids in"
            f" this env: {list(env.get_agent_ids())}. You likely need to add the private attribute"
            " `_agent_ids` to your env, which is a set containing the ids of agents supported by"
            " your env."
        )


class RolloutWorker:
    def __init__(self, env_creator, env_config):
        self.env = env_creator(env_config)
        check_env(self.env)

    def sample(self, policy):
        observations, done, total = self.env.reset(), False, 0.0
        while not done:
            actions = {agent: policy(obs) for agent, obs in observations.items()}
            observations, rewards, dones, _ = self.env.step(actions)
            total += sum(rewards.values())
            done = dones["__all__"]
        return total

    def stop(self):
        self.env.close()
