import abc


class Environment(abc.ABC):
    @abc.abstractmethod
    def reset(self):
        pass

    @abc.abstractmethod
    def step(self, action):
        pass

    @abc.abstractmethod
    def action_spec(self):
        pass

    @abc.abstractmethod
    def observation_spec(self):
        pass

    def close(self):  # noqa: B027
        pass
