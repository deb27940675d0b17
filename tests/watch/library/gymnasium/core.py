class Env:
    def close(self):
        pass


class Wrapper(Env):
    def __init__(self, env):
        self.env = env

    def reset(self, **options):
        return self.env.reset(**options)

    def step(self, action):
        return self.env.step(action)

    def close(self):
        return self.env.close()
