"""The profile of a framework: everything that the doctor knows of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from envdoctor.frameworks.defects import Defect
from envdoctor.model.fast_dataclass import dataclass

Lines = tuple[str, ...]
Options = tuple[tuple[str, object], ...]  # what a vectorizer's constructor is given

MAKE = "make_env"  # what a remedy calls a factory of the user's


@dataclass(frozen=True)
class OtherLaunch:
    """A way to launch a vectorizer that scripts use besides its constructor: the name of its
    scenario, what the probe gets, and what it is in words. `in_workers` says that it is played in
    workers without a finding that asks for it, too.
    """

    scenario: str
    options: Options
    words: str
    in_workers: bool = False


@dataclass(frozen=True)
class FailingLaunch:
    """A launch that is known to need an option: played for the defect that it shows."""

    scenario: str
    start_method: str
    options: Options


@dataclass(frozen=True)
class Vectorizer:
    """One vectorizer. `name` is what users write in --managers. `default_start` is the start
    method that it takes where none is named, `default_words` goes on about that. The options say
    how it does without something: `without_shared_memory` sends observations through pipes,
    `without_buffers` shares no memory with its instances, `without_daemon` starts workers that may
    have children, `without_shadow` builds no instance in the parent.
    """

    name: str
    class_name: str
    in_process: bool = False
    default_start: str = ""
    default_words: str = ""
    without_shared_memory: Options = ()
    shared_memory_note: str = ""
    without_buffers: Options = ()
    without_daemon: Options = ()
    without_shadow: Options = ()
    waits_in: str = ""  # the function in which it waits for the errors of its workers
    waits_when_forked: str = ""  # why it does not notice that a forked worker is gone
    lines_instead_of_fork: Lines = ()  # with which it notices
    rebuilds_errors: bool = False  # raises `type(error)(text)` in the parent
    builds_errors_in_worker: bool = False  # a worker does that, and sends no error itself
    ends_workers_by_errors: bool = False  # with exit code 1, for any error
    ends_workers_in_close: bool = False  # while close() of their environments goes on
    other_launches: tuple[OtherLaunch, ...] = ()
    failing_launch: FailingLaunch | None = None


def keywords(options: Options) -> str:
    """`shared_memory=False`."""
    return ", ".join(f"{name}={value!r}" for name, value in options)


@dataclass(frozen=True)
class Launch:
    """A launch: the factory (an expression), the start method, and the API of the environment."""

    factory: str
    start_method: str | None = None
    instances: int = 4
    options: Options = ()
    api: str = ""

    def on(self, identifier: str) -> Launch:
        """Return the launch with a factory of a registered id."""
        return replace(self, factory=f'lambda: gymnasium.make("{identifier}")')

    @property
    def factories(self) -> str:
        """`[make_env] * 4`."""
        return f"[{self.factory}] * {self.instances}"

    @property
    def call(self) -> str:
        """The call of the factory: of `lambda: make(x)` what it returns."""
        return self.factory.partition("lambda: ")[2] or f"{self.factory}()"

    def keywords(self, name: str = "", default: str = "") -> str:
        """`, daemon=False, context="spawn"`: its options, and the start method as the argument
        `name` where it is not the default.
        """
        method = self.start_method if name and self.start_method != default else None
        chosen = keywords(self.options)
        return (f", {chosen}" if chosen else "") + (f', {name}="{method}"' if method else "")


LaunchById = Callable[[Vectorizer, str, Launch], Lines]


@dataclass(frozen=True)
class ReuseAdvice:
    """Advice for environments that a framework builds once and resets often, by its own convention.
    Each field is a sentence with {name} for the class and {manager} for the vectorizer.
    """

    take_at_first_reset: str
    build_once: str
    build_once_short: str
    close_only_what_is_open: str
    flag: str  # the attribute that says whether it is open
    open_again: str
    closed_and_retried: str


@dataclass(frozen=True)
class Registry:
    """The registry of ids that a framework has, in its own words."""

    make: str  # the function, "gymnasium.make"
    register: str
    spec: str
    through_json: str
    wrapper: Lines  # of a wrapper that records its arguments, with {name}


@dataclass(frozen=True)
class Profile:
    """One framework. `word` begins the names of its vectorizers and storages. `package` is
    imported, `distribution` installed. `api` is the environment API that it defines, `environment`
    what one of it is called. `checker` is the scenario of its checker, (name, script).
    `import_seconds` is what importing it may take on top of a call, `patience` for how many seconds
    it may stand still after a fault, `farewell_seconds` what its end takes longer than others'.
    """

    word: str
    title: str
    package: str
    distribution: str
    api: str = ""
    environment: str = ""
    vectorizers: tuple[Vectorizer, ...] = ()
    storages: Lines = ()
    storage_advice: Callable[[bool], Lines] = lambda _fits_disk: ()
    defects: tuple[Defect, ...] = ()
    checker: tuple[str, str] | None = None
    trains: bool = False
    import_seconds: float = 0.0
    patience: float = 3.0
    farewell_seconds: float = 0.0
    second_close_refused: bool = False
    replays_itself: bool = False  # its instances are asked in their own words
    hosts: str = ""
    launch: Callable[[Vectorizer, Launch], Lines] | None = None
    launch_id: LaunchById | None = None
    make_inside: str = ""  # how its environments are made by id, inside a factory
    registry: Registry | None = None
    reuse: ReuseAdvice | None = None
    autoreset_modes: Options = ()  # besides its default: the scenario of each
    modes_since: tuple[int, ...] = ()  # the version that brought them
    hands_on_infos: bool = True
    hands_on_last_observations: bool = True
    seeds_global_random: bool = False  # by its own guide
    sends_spaces: bool = True
    closes: bool = True  # whether its trainers call close()
    client: str = ""  # what holds a session of its server
    client_cure: str = ""  # how that is ended, with {} for `self.client.`
    full: str = ""  # in the error of a server that has no room for one more
    one_episode: bool = False  # its trainers make a new instance for each
    seeds_in_reset: bool = False  # by an argument of reset(), though it gives no generator
    seeding: str = ""  # where to seed what {source} is
    seed_instances: str = ""  # the call that gives each of its instances a seed of its own
    generator: str = ""  # what it gives to each environment, and seeds in reset()
    base_classes: Lines = ()  # of its environments
    abstract: Lines = ()  # methods that its base class leaves to the environment
    flatten: str = ""  # its wrapper that makes one Box of an observation
    reshape: str = ""  # its wrappers that change spaces
    aliases: tuple[tuple[str, str], ...] = ()  # names that people give its modules

    def named(self, manager: str) -> Vectorizer | None:
        """Its vectorizer of that name."""
        return next(
            (vectorizer for vectorizer in self.vectorizers if vectorizer.name == manager), None
        )

    @property
    def in_process(self) -> Lines:
        """The names of its vectorizers that host instances in their own process."""
        return tuple(vectorizer.name for vectorizer in self.vectorizers if vectorizer.in_process)


def with_factory(launch: Callable[[Vectorizer, Launch], Lines]) -> LaunchById:
    """Return the `launch_id` of a framework that launches an id by a factory of it."""
    return lambda vectorizer, identifier, wanted: launch(vectorizer, wanted.on(identifier))


def vectorizers_of(profiles: Iterable[Profile]) -> dict[str, tuple[Profile, Vectorizer]]:
    """{name: profile and vectorizer}."""
    return {
        vectorizer.name: (profile, vectorizer)
        for profile in profiles
        for vectorizer in profile.vectorizers
    }
