"""A base class where OpenEnv has its own: the shape is recognised by it."""


class Environment:
    """What OpenEnv's gives to its subclasses."""

    async def reset_async(self, **given):
        return self.reset(**given)

    async def step_async(self, action, **given):
        return self.step(action, **given)

    def close(self):
        """Nothing to give back."""
