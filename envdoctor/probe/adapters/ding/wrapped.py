"""A Gymnasium environment as DI-engine's managers accept it: in the framework's own wrapper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

import numpy as np
from ding.envs import DingEnvWrapper

from envdoctor.probe.tracing.traced import RAISING

if TYPE_CHECKING:
    from gymnasium import Env


class Wrapped(DingEnvWrapper):  # type: ignore[misc]
    """`retyped` tells whether the wrapper turns observations into another type than the environment
    declares. With `outspoken`, it passes on what close() raises, as a BaseEnv would.
    """

    def __init__(self, environment: Env, outspoken: bool = False) -> None:
        self.outspoken = outspoken
        self.retyped = getattr(environment.observation_space, "dtype", None) == np.float64
        DingEnvWrapper.__init__(self, environment)

    def close(self) -> None:
        """Close the environment. The framework's own wrapper suppresses all errors: where an
        error is planted, the test is of the manager.
        """
        if self.outspoken:
            self._raw_env.close()
        else:
            DingEnvWrapper.close(self)

    @property
    def _envdoctor_log(self) -> object:
        return self._raw_env._envdoctor_log

    @property
    def envdoctor_holdings(self) -> Dict[str, object]:
        """Meters of the process of this instance."""
        holdings: Dict[str, object] = self._raw_env.envdoctor_read()
        return holdings

    def __getattr__(self, name: str) -> Any:
        """Attribute that the framework's own wrapper does not have: one that raises, for managers
        that carry no call.
        """
        if not name.startswith(RAISING):
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        return self._raw_env.envdoctor_raise_in_worker(name[len(RAISING) :])
