"""The cases that are recorded: what is examined, by which command, and what must be said of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.company.playing import SPEC, UNTRIED, arguments
from tests.reports import Report, all_reports
from tests.support.zoo import ENVS, animals

DING, SB3, TORCHRL = "ENVDOCTOR_DING_PYTHON", "ENVDOCTOR_SB3_PYTHON", "ENVDOCTOR_TORCHRL_PYTHON"
BATCHES = "../frameworks/batches.py"

Codes = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One examination. `says` are codes that must be reported, `may` those that may be reported
    besides, as an error or a warning; `passes` are rules that must have passed. `names` are parts of
    what has to be reported, `avoids` of what must not be. `gives_way` are pairs of a rule and the
    one that explains its finding.

    `interpreter` is the environment variable that names the Python it needs, `python` the path of
    one of its own, `folder` the working directory. `beside` is a program that runs meanwhile,
    `interrupt` the seconds after which Ctrl-C is pressed, from the output that `begins` it, where
    that is known. A `company` has a file of its own, with a
    class of these illnesses; each of them has to be reported, or not judged with a reason. The
    program of a mended `twin` is made of that of the sick one.
    """

    family: str
    name: str
    words: tuple[str, ...]
    command: str = "check"
    says: Codes = ()
    may: Codes = ()
    passes: Codes = ()
    gives_way: tuple[tuple[str, str], ...] = ()
    interpreter: str = ""
    python: str = ""
    folder: Path = ENVS
    names: Codes = ()
    avoids: Codes = ()
    beside: str = ""
    interrupt: float = 0.0
    begins: str = ""
    company: tuple[str, ...] = ()
    twin: Report | None = None

    @property
    def key(self) -> str:
        """Its name among all cases."""
        return f"{self.family}/{self.name}"


@cache
def cases() -> dict[str, Case]:
    """All cases by their keys."""
    every = (*zoo(), *_plain(), *_others(), *_frameworks(), *_storages(), *companies(), *reports())
    by_key = {case.key: case for case in every}
    assert len(by_key) == len(every), "two cases have one name"
    return by_key


def zoo() -> Iterator[Case]:
    """Every sick environment and its healthy twin."""
    for animal in animals():
        rule = animal.file.stem[:6].upper()
        yield Case(
            "zoo",
            str(animal),
            (animal.spec, *animal.arguments),
            animal.command,
            says=(animal.code,) if animal.code else (),
            may=animal.also if animal.code else (),
            passes=() if animal.code else (rule, *(code for code, _ in animal.gives_way)),
            gives_way=animal.gives_way if animal.code else (),
            interpreter=animal.interpreter,
        )


def _case(family: str, line: str, **fields: Any) -> Case:
    """A case of a command line without `envdoctor`, named after its file and class."""
    command, *words = shlex.split(line)
    name = fields.pop("name", "") or Path(words[0]).name.replace(".py:", "-").replace(":", "-")
    return Case(family, name, tuple(words), command, **fields)


def _plain() -> Iterator[Case]:
    """Yield cases that a new user tries first."""
    yield _case("plain", "check CartPole-v1", passes=("LEK001", "CLS006"), name="CartPole-check")
    yield _case("plain", "leak CartPole-v1", passes=("LEK001", "LEK003"), name="CartPole-leak")
    yield _case(
        "plain",
        "check CartPole-v1 --faults --managers gymnasium-async,gymnasium-sync --start-methods fork",
        name="CartPole-faults",
        says=("DOC005",),
    )
    yield _case("plain", "leak loops/training.py:leaves_cycles --callable", says=("LEK011",))
    yield _case(
        "plain", "check envdoctor.demo:Arm", name="Arm", says=("CLS006", "CLS007", "CLS010")
    )


DIRECT = "--managers direct"
FORKED = "--managers gymnasium-async --start-methods fork --timeout 6"
ENDED_EPISODES = f"check whole_episodes.py:{{}} {DIRECT}"

#: Environments of tests/envs that are not of the zoo: the command line, what it has to say, and
#: what else it may.
SICK: tuple[tuple[str, str, Codes], ...] = (
    *(
        (f"leak leaks.py:{name} {DIRECT}", code, ("CLS012",))
        for name, code in (
            ("PyObject", "LEK001"),
            ("Bytes", "LEK001"),
            ("Array", "LEK001"),
            ("Malloc1K", "LEK003"),
            ("Malloc24", "LEK003"),
            ("Mmap64K", "LEK004"),
            ("Descriptor", "LEK005"),
            ("Thread", "LEK006"),
            ("Sparse", "LEK001"),
            ("InStep", "LEK001"),
            ("Retained", "CLS012"),
        )
    ),
    *(
        (f"leak living.py:{name} {DIRECT}", "LEK001", ())
        for name in ("Remembers", "CountsEpisodes")
    ),
    *(
        (f"check wrapped.py:{name} {DIRECT}", code, also)
        for name, code, also in (
            ("hooked", "CLS013", ()),
            ("records", "LEK001", ()),
            ("registered", "CLS012", ()),
            ("tangles", "LEK011", ()),
            ("opens", "CLS006", ("MAK002",)),
        )
    ),
    *(
        (f"check kept.py:{name} {DIRECT} --select CLS,LEK,SFX", code, ())
        for name, code in (
            ("AtExit", "CLS012"),
            ("AtExitByFunction", "CLS012"),
            ("Caches", "CLS012"),
            ("Handles", "SFX001"),
        )
    ),
    (f"check kept.py:AddsHandler {DIRECT} --select CLS,LEK,SFX", "LEK001", ("CLS006",)),
    (f"check writes.py:Keeps {DIRECT}", "LEK001", ()),
    (f"leak unlinked.py:Sick {DIRECT}", "LEK009", ()),
    (f"leak whole_episodes.py:Opens {DIRECT} --time-budget 20", "LEK005", ("LEK003",)),
    (f"check dying.py:Segfault {FORKED}", "PRC003", ()),
    (f"check dying.py:Exit {FORKED}", "PRC003", ()),
    (f"check dying.py:Killed {FORKED}", "PRC003", ()),
    (f"check dying.py:Memory {FORKED}", "VEC008", ()),
    (f"check dying.py:Raises {FORKED}", "VEC008", ()),
    (f"check dying.py:CloseHangs {FORKED}", "CLS004", ()),
    (f"check losing.py:Unpicklable {FORKED}", "PRC003", ("VEC006",)),
    *(
        (f"check exits.py:{name} {DIRECT} --select CLS017,MAK001", "CLS017", ())
        for name in ("Crashing", "Listening", "Registered")
    ),
    (f"check exits.py:HalfMade {DIRECT} --select CLS017,MAK001", "CLS017", ("MAK001",)),
    (f"check hanging.py:CloseSleeps {DIRECT} --timeout 900 --select CLS,HNG", "CLS004", ()),
    ("check hanging.py:StepSleeps --timeout 900 --select CLS,HNG", "HNG004", ()),
    ("check hanging.py:ResetBurns --timeout 3 --select HNG", "HNG003", ()),
    (f"check hanging.py:EatsMemory {DIRECT} --memory-limit 1G", "PRC003", ()),
    (f"{ENDED_EPISODES.format('Hangs')} --timeout 4 --select HNG,PRC003,API015", "HNG004", ()),
    (f"{ENDED_EPISODES.format('Dies')} --select HNG,PRC003,API015", "PRC003", ()),
    (f"{ENDED_EPISODES.format('Third')} --select API015 --episodes 4", "API015", ()),
    (f"{ENDED_EPISODES.format('Crowded')} --select API015", "API015", ()),
    (f"{ENDED_EPISODES.format('CrowdedAndWaits')} --timeout 4 --select HNG,API015", "HNG003", ()),
    (f"{ENDED_EPISODES.format('Forgetful')} --select CLS016", "CLS016", ()),
    (f"check whole_episodes.py:LastInfo {FORKED} --select VEC005,VEC008,API015", "VEC005", ()),
    (f"check whole_episodes.py:Constant {FORKED} --select VEC002", "VEC002", ()),
    *(
        (f"check interfering.py:{name} {DIRECT} --select MAK,RUS004,PRC", "MAK005", ())
        for name in ("GlobalRandom", "SharedBody", "ForgetsOthers", "TakenAlong", "NoCopy")
    ),
    *(
        (f"check once.py:{name} {DIRECT} --select MAK,PRC,HNG", "MAK004", ())
        for name in (
            *("ForgetsFlag", "ForgetsHandle", "EmptiesTask", "EmptiesDefault"),
            *("KeepsPort", "Twice"),
        )
    ),
    (f"check sharing.py:Forgets {DIRECT} --select CLS020", "CLS020", ()),
    (f"check chance.py:OneOfFew {DIRECT}", "DET001", ()),
    (f"check ZooAnew-v0 --import chance {DIRECT}", "DET001", ()),
    *(
        (f"check contained.py:{how} {DIRECT} --select CLS021 --steps 30", "CLS021", ())
        for how in ("ByImage", "ByIdFile", "ByProject")
    ),
    (
        "check contained.py:ByName --managers gymnasium-async --select CLS021 --steps 30",
        "CLS021",
        (),
    ),
    ("check trouble_lazy_reset.py:Sick --managers direct,gymnasium-sync", "CLS006", ("CLS007",)),
    ("check ZooReg003-v0 --import reg003_missing_in_spawned_worker", "REG003", ("REG004",)),
    ("check mak004_one_instance_per_process.py:Sick --start-methods spawn", "MAK004", ()),
)

#: The command line, and the rules that have to pass.
HEALTHY: tuple[tuple[str, str], ...] = (
    *(
        (f"leak leaks.py:{name} {DIRECT}", "LEK001 LEK003 LEK005")
        for name in ("Clean", "Plateau", "SlowPlateau", "Lru", "Cycle", "Bounded")
    ),
    *(
        (f"leak living.py:{name} {DIRECT}", "LEK001")
        for name in ("Clears", "Bounds", "BoundsByHand", "NumbersTheLast")
    ),
    *(
        (f"check wrapped.py:{name} {DIRECT}", code)
        for name, code in (
            ("cut", "CLS013"),
            ("forgets", "LEK001"),
            ("leaves", "CLS012"),
            ("straight", "LEK011"),
            ("closes", "CLS006"),
        )
    ),
    *(
        (f"check kept.py:{name} {DIRECT} --select CLS,LEK,SFX", "CLS012 LEK001 LEK003")
        for name in ("TakesBack", "AtExitByReference", "CachesWithoutSelf", "RemovesHandler")
    ),
    (f"check writes.py:Logs {DIRECT}", "LEK001 LEK002 LEK003"),
    (f"leak unlinked.py:Healthy {DIRECT}", "LEK009"),
    (f"check dying.py:Mortal {FORKED}", "PRC003 VEC008"),
    *(
        (f"check exits.py:{name} {DIRECT} --select CLS017,MAK001", "CLS017")
        for name in ("Talkative", "Tidying")
    ),
    (f"check exits.py:Staying {DIRECT} --select CLS017,MAK001", ""),  # its exit is not seen
    (f"check whole_episodes.py:Mindful {DIRECT} --select CLS016", "CLS016"),
    (f"check whole_episodes.py:Roomy {DIRECT} --select API015", "API015"),
    (f"check whole_episodes.py:PlainLastInfo {FORKED} --select VEC005,VEC008", "VEC005"),
    *(
        (f"check interfering.py:{name} {DIRECT} --select MAK,RUS004,PRC", "MAK005")
        for name in ("Uncopied", "Numbered")
    ),
    (f"check interfering.py:OneEpisode {DIRECT} --select MAK,RUS004,PRC", ""),  # it resets once
    (f"check once.py:CopiesTask {DIRECT} --select MAK,PRC,HNG", "MAK004"),
    (f"check sharing.py:Remembers {DIRECT} --select CLS020", "CLS020"),
    ("check chance.py:Rounds --managers gymnasium-sync --select VEC002", "VEC002"),
    ("check trouble_lazy_reset.py:Healthy --managers direct,gymnasium-sync", "CLS006 CLS007"),
    (f"check contained.py:Removed {DIRECT} --select CLS021 --steps 30", "CLS021"),
    (f"check trouble_pool_of_the_module.py:Healthy {FORKED}", "CLS007"),
    ("check mak004_one_instance_per_process.py:Healthy --start-methods spawn", "MAK004"),
)


#: What is left, and what is changed, by one environment each, and by its healthy twin not.
LEFTOVERS = ("CLS006", "CLS007", "CLS008", "CLS009", "CLS010", "CLS011")
SIDE_EFFECTS = tuple(f"SFX00{number}" for number in range(1, 9))

#: What asks for a scenario of its own, in one environment.
ASKING = ("API012", "DET001", "MAK004", "SFX004", "VEC006")


def _others() -> Iterator[Case]:
    """The rest of tests/envs that needs no framework."""
    for line, code, may in SICK:
        yield _case("envs", line, says=(code,), may=may)
    for line, codes in HEALTHY:
        yield _case("envs", line, passes=tuple(codes.split()))
    for name, codes in (("Leaves", LEFTOVERS), ("Changes", SIDE_EFFECTS)):
        yield _case("envs", f"check several.py:{name}All {DIRECT}", says=codes)
        yield _case("envs", f"check several.py:{name}Nothing {DIRECT}", passes=codes)
    managers = "--managers direct,gymnasium-async --start-methods fork"
    yield _case("envs", f"check many_scenarios.py:make {managers}", says=ASKING, may=("MAK002",))


UNDER_DING = "--managers ding-base,ding-subproc --start-methods fork --ignore LEK,DET"
UNDER_BASE = "--managers ding-base --ignore LEK,DET"
UNDER_SB3 = "--managers sb3-dummy,sb3-subproc --start-methods forkserver"
SB3_FORKED = "--managers sb3-subproc --start-methods fork --timeout 6"
TORCHRL_SPAWNED = "--managers torchrl-parallel --start-methods spawn --timeout 60"
UNDER_TORCHRL = "--managers torchrl-serial,torchrl-parallel --start-methods fork"

#: As `SICK`, with the interpreter.
SICK_IN_FRAMEWORKS: tuple[tuple[str, str, str, Codes], ...] = (
    (DING, f"check di_engine.py:ForgetsSimulator {UNDER_DING}", "CLS008", ("PRC001",)),
    (DING, f"check di_engine.py:ForgetsThread {UNDER_DING}", "CLS007", ()),
    (DING, f"check di_engine.py:ForgetsSocket {UNDER_DING}", "CLS009", ()),
    (DING, f"check di_engine.py:ForgetsFolder {UNDER_DING}", "CLS010", ()),
    (DING, f"check di_engine.py:ClosesWhatIsNotThere {UNDER_DING}", "CLS002", ()),
    (DING, f"check di_engine.py:Eager {UNDER_BASE}", "MAK002", ()),
    (DING, f"check di_engine.py:Rebuilds {UNDER_BASE}", "RUS001", ()),
    (DING, f"check di_engine.py:Loses {UNDER_BASE}", "RUS002", ("RUS001", "CLS009")),
    (DING, f"check di_engine.py:NotAgain {UNDER_BASE}", "CLS016", ()),
    (DING, f"check di_engine.py:KeepsRail {UNDER_DING}", "VEC008", ()),
    (DING, f"check di_engine.py:LosesLevel {UNDER_DING}", "VEC008", ()),
    (DING, f"check di_engine_jams.py:Sick {UNDER_DING}", "VEC006", ()),
    (SB3, f"check mak004_one_instance_per_process.py:Sick {UNDER_SB3}", "MAK004", ()),
    (SB3, f"check vec002_workers_share_a_seed.py:Sick {UNDER_SB3}", "VEC002", ("DET001",)),
    (SB3, f"check dying.py:Segfault {SB3_FORKED}", "PRC003", ()),
    (SB3, f"check dying.py:Raises {SB3_FORKED}", "PRC003", ()),
    (
        SB3,
        f"check ZooReg004-v0 --import reg004_missing_in_forkserver_worker {UNDER_SB3}",
        "REG004",
        (),
    ),
    (TORCHRL, f"check {BATCHES}:ForgetsThread {UNDER_TORCHRL}", "CLS007", ()),
    (
        TORCHRL,
        f"check {BATCHES}:ClosesWithoutRecorder {UNDER_TORCHRL}",
        "CLS014",
        ("CLS001", "CLS002"),
    ),
    (TORCHRL, f"check {BATCHES}:FailsInWorkers {UNDER_TORCHRL}", "VEC008", ()),
    (
        TORCHRL,
        f"check ZooReg003-v0 --import reg003_missing_in_spawned_worker {TORCHRL_SPAWNED}",
        "REG003",
        (),
    ),
)

#: As `HEALTHY`, with the interpreter.
HEALTHY_IN_FRAMEWORKS: tuple[tuple[str, str, str], ...] = (
    (DING, f"check di_engine.py:Healthy {UNDER_DING}", "CLS007 CLS008 CLS009 CLS010 PRC001"),
    (DING, f"check di_engine.py:Levels {UNDER_DING}", "CLS007 VEC008"),
    (DING, f"check di_engine.py:Rails {UNDER_DING}", "CLS016 VEC008"),
    (DING, f"check di_engine_joints.py:Healthy {UNDER_DING}", "VEC006"),
    (SB3, f"check CartPole-v1 {UNDER_SB3}", "CLS006 VEC002"),
    (SB3, f"check mak004_one_instance_per_process.py:Healthy {UNDER_SB3}", "MAK004"),
    (SB3, f"check dying.py:Mortal {SB3_FORKED}", "PRC003"),
    (TORCHRL, f"check CartPole-v1 {UNDER_TORCHRL}", "CLS006 VEC002"),
    (TORCHRL, f"check {BATCHES}:Pictures {UNDER_TORCHRL}", "CLS007"),
    (TORCHRL, f"check {BATCHES}:Lazy {UNDER_TORCHRL}", "CLS007"),
)


def _frameworks() -> Iterator[Case]:
    """Troubles with DI-engine, Stable-Baselines3 and TorchRL."""
    for python, line, code, may in SICK_IN_FRAMEWORKS:
        yield _under(python, line, says=(code,), may=may)
    for python, line, codes in HEALTHY_IN_FRAMEWORKS:
        yield _under(python, line, passes=tuple(codes.split()))


def _under(python: str, line: str, **fields: Any) -> Case:
    case = _case("frameworks", line, interpreter=python, **fields)
    name = f"{python.split('_')[1].lower()}-{case.name}"
    return _case("frameworks", line, name=name, interpreter=python, **fields)


#: The interpreter, the storage, the environment, and what is said of it; nothing of a healthy one.
STORAGES = (
    (TORCHRL, "torchrl-list", "CartPole-v1", ""),
    (TORCHRL, "torchrl-tensor", "stored.py:Goal", ""),
    (TORCHRL, "torchrl-memmap", "CartPole-v1", ""),
    (TORCHRL, "torchrl-list", "stored.py:Counting", ""),
    (TORCHRL, "torchrl-tensor", "stored.py:Remembering", "BUF002"),
    (SB3, "sb3", "stored.py:Remembering", "BUF002"),
    (SB3, "sb3", "Pendulum-v1", ""),
    (DING, "ding", "stored.py:Goal", ""),
    (DING, "ding", "stored.py:Uneven", ""),
)


def _storages() -> Iterator[Case]:
    """Replay storages that are filled."""
    for python, storage, spec, code in STORAGES:
        yield _case(
            "storages",
            f"leak {spec} --storage {storage} --capacity 400",
            name=f"{storage}-{spec.removeprefix('stored.py:')}",
            says=(code,) if code else (),
            may=("LEK001",) if code else (),
            passes=() if code else ("BUF002",),
            interpreter=python,
        )


#: Illnesses that were hard to tell from each other, or that one blinds the search for the other.
COMPANIES = (
    ("check", "CloseErrorHidden CloseBeforeResetRaises"),
    ("check", "CloseRaises RenderRaises"),
    ("check", "DiffersBetweenProcesses ResetNotSeeded"),
    ("check", "StepNotReproducible ResetNotSeeded"),
    ("check", "FreedByCollector InstanceKept"),
    ("check", "LoggerPerInstance ProcessPerReset"),
    ("check", "DescriptorSometimes ProcessPerReset"),
    ("check", "ThreadLeft CloseHangs"),
    ("check", "FilePerReset SlowConstructor"),
    ("check", "DescriptorPerStep CloseSlow"),
    ("check", "FileLeft TrailPerStep ResetRefusesSeed"),
    ("check", "CloseAlwaysRaises ListPerStep InstancesInterfere"),
    ("check", "ListPerReset MappedPerReset FramesUntilCollected"),
    ("check", "FileLeft ThreadLeft ProcessLeft"),
    ("check", "ListPerStep MallocPerStep NumbersPerStep"),
    ("check", "BytesPerReset ListPerReset ScoresPerReset"),
    ("check", "InstanceKept ListPerReset TrailPerStep"),
    ("check", "ResetNotSeeded GlobalRandomState InfoNotPicklable"),
    ("leak", "MallocPerInstance ProcessLeft"),
    ("leak", "MallocPerReset ThreadPerReset"),
    ("leak", "MappedPerInstance ThreadLeft"),
    ("leak", "DescriptorPerReset DescriptorPerStep"),
)


def companies() -> Iterator[Case]:
    """Environments with several illnesses."""
    for command, line in COMPANIES:
        names = tuple(line.split())
        words = (SPEC, *arguments(names, command), UNTRIED)
        yield Case("company", "-".join((command, *names)), words, command, company=names)


def reports() -> Iterator[Case]:
    """Public reports that are reported rightly, and their healthy twins."""
    for report in all_reports():
        if report.is_recorded:
            yield from cases_of(report)


def cases_of(report: Report) -> Iterator[Case]:
    """A public report and its healthy twin."""
    for name, line in (("sick", report.sick), ("healthy", report.healthy)):
        is_sick = name == "sick" and bool(report.codes)
        yield _case(
            "reports",
            line,
            name=f"{report.name}-{name}",
            says=report.codes if is_sick else (),
            may=report.also if name == "sick" else (),
            names=report.names if is_sick else (),
            avoids=report.avoids,
            passes=() if is_sick else report.quiet,
            interpreter=report.interpreter,
            python=report.python,
            folder=report.folder,
            beside=report.beside,
            interrupt=report.interrupt,
            begins=report.begins,
            twin=report if name == "healthy" and report.mends else None,
        )
