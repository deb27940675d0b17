"""The same tasks, with an environment that closes what it has."""

from train import BrowserEnv, main


class Cured(BrowserEnv):
    def close(self):
        if self.task:
            self.task.teardown()
            self.task = None
        for name in ("chat", "context", "browser"):
            if getattr(self, name):
                getattr(self, name).close()
                setattr(self, name, None)


if __name__ == "__main__":
    main(Cured)
