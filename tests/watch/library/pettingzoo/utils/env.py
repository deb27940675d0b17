class AECEnv:
    def close(self):
        pass


class ParallelEnv:
    def close(self):
        pass
