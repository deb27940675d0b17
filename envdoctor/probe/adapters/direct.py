"""No manager: one instance, driven as a training loop drives it."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters import Host
from envdoctor.probe.comparison import endings
from envdoctor.probe.comparison.aliasing import Taker
from envdoctor.probe.frameworks import shapes

NAME = "direct"
START_METHODS = ()
APIS = (
    environment_api.GYMNASIUM,
    environment_api.GYM,
    environment_api.DING,
    environment_api.TORCHRL,
    environment_api.DUCK,
)
HIDDEN = 0
EXPECTED = ()

ENDS = ("close", "drop")  # what an instance is given that cannot be played


def missing() -> str:
    """Always there."""
    return ""


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance of the first factory."""
    environment = factories[0]()
    shape = shapes.of(environment)
    host = (shape.host() if shape is not None else None) or DirectHost
    launched: DirectHost = host(environment, options.seed)
    return launched


class DirectHost(Host):
    """One traced instance and the actions for it."""

    def __init__(self, environment: Any, seed: int) -> None:
        self.environment = environment
        self.seed = seed
        self.actions = Actions(seed)
        self.info: object = None
        self.ended = True
        self.returned_arrays: Optional[Taker] = None
        self.refused = bool(environment_api.refused(environment.env))
        self.once = environment_api.has_one_episode(environment.env)
        self.begun = False
        #: How often it was reset; None in a host with a reset() of its own, which does not count.
        self.resets = 0 if type(self).reset is DirectHost.reset else None

    @property
    def is_over(self) -> bool:
        """True where its only episode has ended."""
        return self.once and self.begun and self.ended

    def reset(self, seed: Optional[int]) -> None:
        """Reset it, and take the action space as it is afterwards. With a seed, actions begin
        anew, too.
        """
        if seed is not None:
            self.actions = Actions(self.seed)
        self._begin()
        observation, self.info = environment_api.reset(self.environment, seed, self.environment.env)
        self._tell("reset", observation, seed=seed)
        self.actions.see(observation)
        self.actions.look_at(environment_api.action_space(self.environment))
        self.ended, self.begun = False, True
        self.resets = None if self.resets is None else self.resets + 1

    def step(self) -> None:
        """One step; a new episode first where the last one ended."""
        if self.ended:
            self.reset(None)
        action = self.actions.draw(self.info)
        self._begin()
        asked = self._noted(action)
        observation, reward, terminated, truncated, self.info = environment_api.transition(
            self.environment, action
        )
        self.ended = terminated or truncated
        self.actions.see(observation)
        self._tell(
            "step",
            observation,
            asked=asked,
            reward=reward,
            terminated=terminated,
            truncated=truncated,
        )
        if self.returned_arrays is not None and asked is not None:
            self.returned_arrays.stepped(asked, action)
        if self.endings is not None:
            self._follow(self.endings, observation, reward, endings.how(terminated, truncated))

    def _follow(
        self, episode_ends: endings.Endings, observation: object, _reward: Any, how: str
    ) -> None:
        """Note the end of an episode."""
        episode_ends.stepped((0,))
        if self.ended:
            episode_ends.ended(0, how, lambda: (observation, self.info))
            episode_ends.waiting.clear()  # the caller resets it next

    def _begin(self) -> None:
        """Prepare the check of returned arrays for a call that is about to be made."""
        if self.returned_arrays is not None:
            self.returned_arrays.before()

    def _tell(self, call: str, observation: object, **values: Any) -> None:
        """Record a call, and hand what it returned to the check of returned arrays."""
        if self.recorder is not None:
            self.recorder.add(call, observation=observation, info=self.info, **values)
        if self.returned_arrays is not None:
            self.returned_arrays.next(call, observation, self.info)

    def render(self) -> None:
        """Render once, where it was made to be rendered."""
        if getattr(self.environment.env, "render_mode", None) is not None:
            self.environment.render()

    def close(self) -> None:
        """Close it."""
        self.returned_arrays = None  # what it returned may be what it is made of
        self.actions.see(None)
        self.environment.close()

    def offers(self, verb: str) -> bool:
        """Everything but a close() that is not there; of what cannot be played, only its end."""
        if self.refused and verb not in ENDS:
            return False
        return verb != "close" or environment_api.offers_close(self.environment.env)

    def subject(self) -> object:
        """The instance as the subject's constructor returned it."""
        return self.environment.env
