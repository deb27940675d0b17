"""Facts about a subject before it is played: the survey of its files and of the interpreter, and
the description of its first instance.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Mapping, Optional, Tuple

from envdoctor.model.errors import AS_WRITTEN, ErrorValue, Wire
from envdoctor.model.facts.decoding import Fact, ListedFact, decoded, key
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class ExpectedBehavior:
    """The known behavior of one launch of a manager. `closes_again`: a second close() closes the
    instances again; `closes_hidden`: hidden ones are closed. `pins`: descriptors that the parent
    keeps after close(), for each worker and once; `zombies`: workers not yet waited for; `hidden`:
    instances that are built only to read their spaces; `autoreset`: when an ended episode begins
    anew. None is unknown.
    """

    closes_again: Optional[bool] = None
    pins: Optional[Tuple[int, ...]] = None
    closes_hidden: Optional[bool] = None
    zombies: Optional[int] = None
    hidden: Optional[int] = None
    autoreset: Optional[str] = None


@dataclass(frozen=True)
class SurveyedManager:
    """A manager as the interpreter has it: whether it is `available`, or the `reason` why not; its
    start methods; the `apis` whose environments it takes; whether a closed one can be launched
    again, and a failed reset be tried again; how many `hidden` instances a launch builds only to
    read their spaces (None: not known); what is `expected` since which version, newest first; what
    it `sends` between its processes; whether it is played `on_request` only; the module of the
    `plugin` that it comes from.
    """

    available: bool = False
    reason: str = ""
    start_methods: Tuple[Optional[str], ...] = ()
    apis: Tuple[str, ...] = ()
    relaunches: bool = False
    retries: bool = False
    hidden: Optional[int] = None
    expected: Tuple[Tuple[str, ExpectedBehavior], ...] = ()
    sends: Tuple[str, ...] = ()
    on_request: bool = False
    plugin: str = ""

    @classmethod
    def read(cls, value: object) -> SurveyedManager:
        """The manager that a survey holds. One of a plug-in that does not say of itself what it
        should cannot be used, and costs no other.
        """
        try:
            return decoded(cls, value)
        except ValueError as error:
            plugin = value.get("plugin") if isinstance(value, dict) else None
            if not plugin:
                raise
            reason = f"its plug-in {plugin} cannot be used: {error}"
            return cls(reason=reason, plugin=str(plugin))


@dataclass(frozen=True)
class GuardedRegistration:
    """A call of `register()` that importing its file does not reach. `function` is the one that the
    guard calls, or nothing.
    """

    id: str
    file: str
    line: int
    text: str = ""
    function: str = ""
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class OverriddenId:
    """An id whose entry point `was` that of another package, and is `now` that of the subject's;
    where the call stands that took it, if that was found.
    """

    id: str
    was: str
    now: str
    file: str = ""
    line: int = 0
    text: str = ""
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class ImportedInside:
    """An import of a script that running its top level does not reach: in a function, or below the
    guard where that is empty.
    """

    file: str = ""
    line: int = 0
    text: str = ""
    function: str = ""


@dataclass(frozen=True)
class Survey(Fact):
    """The resolution of the SPEC: whether it `is_found`, and the reason: `why` is one word,
    `message` a sentence. `sensors` says why a sensor cannot be read, or nothing; `absent` are those
    that have nothing to count on this machine. `candidates`, `nearest`, `would_register` and
    `may_register` are names that may have been meant, and packages that know the id; `installable`
    are extras that may bring one that knows it.
    """

    KEY: ClassVar[str] = "survey"

    is_found: bool = field(default=False, metadata=key("found"))
    executable: str = ""
    managers: Mapping[str, SurveyedManager] = field(default_factory=dict)
    sensors: Mapping[str, str] = field(default_factory=dict)
    absent: Tuple[str, ...] = ()
    frameworks: Mapping[str, str] = field(default_factory=dict)
    id: str = ""
    entry_point: str = ""
    registered_by: str = ""
    imports: Tuple[str, ...] = ()
    module: str = ""
    source: Optional[Location] = None
    guarded: Tuple[GuardedRegistration, ...] = ()
    overridden: Tuple[OverriddenId, ...] = ()
    why: str = ""
    message: str = ""
    error: Optional[ErrorValue] = None
    candidates: Tuple[str, ...] = ()
    nearest: Tuple[str, ...] = ()
    would_register: Tuple[str, ...] = ()
    may_register: Tuple[str, ...] = ()
    installable: Tuple[str, ...] = ()
    inside: ImportedInside = ImportedInside()


@dataclass(frozen=True)
class Toolkits:
    """Libraries that draw: `pygame` if installed, and loaded modules that open real windows."""

    pygame: bool = False
    seeing: Tuple[str, ...] = ()


#: Folders of what was installed.
INSTALLED = ("/site-packages/", "/dist-packages/")


@dataclass(frozen=True)
class Lines:
    """The lines of one function, the first and the last one included."""

    file: str
    first: int
    last: int


@dataclass(frozen=True)
class WrapperClass:
    """The class of a wrapper around the environment, where that and its methods are defined, and
    the lines of all its functions, without those that it has in common with the environment.
    """

    name: str
    source: Optional[Location] = None
    methods: Mapping[str, Location] = field(default_factory=dict)
    lines: Tuple[Lines, ...] = ()

    @property
    def library(self) -> str:
        """The package that it comes with, where that is installed and not the user's own."""
        files = [self.source.file] if self.source else [each.file for each in self.lines[:1]]
        installed = any(folder in file for file in files for folder in INSTALLED)
        return self.name.partition(".")[0] if installed else ""

    def has(self, place: Location) -> bool:
        """Return whether a line is in one of its functions, or is the one that begins the class."""
        begins = self.source and (self.source.file, self.source.line) == (place.file, place.line)
        return bool(begins) or any(
            each.file == place.file and each.first <= place.line <= each.last for each in self.lines
        )


@dataclass(frozen=True)
class Described(Fact):
    """The first instance: the framework whose environment API it follows, its class, where that and
    its `methods` are defined, what it `lacks`, by what its package is called (`owner`); the
    `wrappers` around it, the outermost first. `reset_parameters` are the plain defaults of
    reset(), `unjudged` says what cannot be judged of it and why. Its close() makes calls on what it
    holds that its reset() does not make (`releases`: "self.renderer.clear()").
    """

    KEY: ClassVar[str] = "described"

    api: str = ""
    env_class: str = ""
    source: Optional[Location] = None
    methods: Mapping[str, Location] = field(default_factory=dict)
    lacks: Tuple[str, ...] = ()
    own_action_space: bool = False
    rare_spaces: Tuple[str, ...] = ()
    seedable: Optional[bool] = None
    reset_parameters: Mapping[str, object] = field(default_factory=dict)
    nondeterministic: bool = False
    render_mode: object = None
    render_modes: Tuple[object, ...] = ()
    owner: str = ""
    toolkits: Toolkits = Toolkits()
    unjudged: Mapping[str, str] = field(default_factory=dict)
    wrappers: Tuple[WrapperClass, ...] = ()
    releases: Tuple[str, ...] = ()


@dataclass(frozen=True)
class UndefinedName:
    """One use of a name that is not there: `function` is the one that would raise NameError, `cure`
    a line that defines it, `nearest` the name that may have been meant.
    """

    name: str
    file: str
    line: int
    function: str
    cure: str = ""
    nearest: str = ""


@dataclass(frozen=True)
class Machine:
    """The machine's resources for a run: `cores`, and bytes of memory in all and `available` now.
    None is unknown.
    """

    cores: Optional[int] = None
    memory: Optional[int] = None
    available: Optional[int] = None


@dataclass(frozen=True)
class Known(Described, Survey):
    """All that is known of a subject everywhere: survey and description, why it is `refused`, and
    what the doctor itself found out (`undefined` names, scenarios that were `left_out` and why, the
    SPEC and the user's options as one `command`). `wire` is all of it as it is written, for
    evidence.
    """

    KEY: ClassVar[str] = ""

    refused: str = ""
    undefined: Tuple[UndefinedName, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict, metadata=key("left-out"))
    machine: Machine = Machine()
    command: str = ""
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)

    @property
    def files(self) -> Tuple[str, ...]:
        """The files that define its class and the methods of that."""
        places = (self.source, *self.methods.values())
        return tuple(dict.fromkeys(place.file for place in places if place))

    @property
    def no_cycles(self) -> str:
        """The reason why the leak check was left out, or nothing."""
        return self.left_out.get("leak", "")


@dataclass(frozen=True)
class Refused(ListedFact):
    """The reason why no scenario can play the subject."""

    KEY: ClassVar[str] = "refused"

    reason: str


@dataclass(frozen=True)
class SourceModule:
    """A module that holds the subject's own code: the names that exist in it at run time, and
    `others`: environments in it that are not the subject.
    """

    module: str = ""
    file: str = ""
    names: Tuple[str, ...] = ()
    others: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Sources(Fact):
    """The modules that hold the subject's own code, and the names that are built in there."""

    KEY: ClassVar[str] = "sources"

    modules: Tuple[SourceModule, ...] = ()
    builtins: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Called(Fact):
    """The result of a subject's first call: `environment` is True if it returned one."""

    KEY: ClassVar[str] = "called"

    environment: bool = False
