"""The seed of a training does not reach its environments.

What it does
    Looks at the generators of numpy's that environments draw from, where a training has seeded
    numpy's global generator, or a line of it has made one by default_rng() of what it calls a seed.
    Reported are instances that reset() was never given a seed for and
    that draw from a generator of their own which the operating system seeded, and instances in
    workers that draw from the global generator, which nothing seeded there, with the lines that do.

    A class of the script's own, without a framework's base class, may have no reset() that takes a
    seed: then its constructor has to take one.

    A vectorizer of the script's own has one space for all of its instances, which is looked at too.

    Reported, too, are environments that draw from the other one of the two global generators that
    training scripts seed, of numpy's and of Python's, if nothing seeds that one, with the lines.

    Reported, too, are environments whose reset() draws from a generator that is made of a default:
    the constructor, or a function that calls it, has a parameter for the seed with a number as its
    default, and the script leaves it out. They make at least half of the steps.

    Where reset() is given a seed, or the training seeds numpy's global generator, the space of
    actions is looked at, too: reported is the line of the script that drew at least 64 actions from
    it while nothing had seeded the generator of the space.

    A training that seeds nothing of this is left out: it is not meant to be repeated. So are other
    environments that a constructor seeds, and those of which any instance was given a seed.

Why it matters
    Who seeds a training wants to repeat it: to compare two agents, or to see a fault again. Each
    run meets other episodes all the same, and what differs between two runs is chance. Where a
    default seeds them, runs with other seeds meet the same episodes, and look more alike than they
    are.

How to fix it
    Give the first reset() a seed, and the space that actions are drawn from:

        env.reset(seed=seed)
        env.action_space.seed(seed)

    Hand the seed on to constructors that have a parameter for it:

        env = make_env(seed=seed)

    Seed both global generators, or, better, draw from one alone:

        random.seed(seed)
        numpy.random.seed(seed)

    A worker has generators of its own. What draws from the global one has to seed it there, or,
    better, to draw from self.np_random.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from envdoctor.frameworks import profile_of
from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.page import ACTION_SPACE, NUMPY, OWN, PYTHON, SOURCES
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_aims import DrawOwn, GiveArgument, SeedActions, SeedOther
from envdoctor.model.training_draws import DefaultSeed, Draw
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.beginnings import BUSY, at_lines, drawing_lines, stepped, steps_of
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import (
    by_site,
    nothing_made,
    of,
    training_of,
    watched_view,
    whose,
)
from envdoctor.rules.remedies.aims import give_seed

OTHER_SPACE = "; it is another space than those of its instances"
_NO_SEED = "the training seeds no global generator of Python or numpy"
#: The global generators that scripts seed, by the calls that do.
SEEDING = {SOURCES[PYTHON]: "random.seed(SEED)", SOURCES[NUMPY]: "numpy.random.seed(SEED)"}
NAMES = {SOURCES[PYTHON]: "Python's random", SOURCES[NUMPY]: "numpy.random"}
OTHER = {SOURCES[PYTHON]: SOURCES[NUMPY], SOURCES[NUMPY]: SOURCES[PYTHON]}

CHOSEN = 2**25  # what a person writes is less, also a date; of drawn ones 1 in 128 is


def unjudged(view: View) -> str:
    """Return why it is not known whether a seed is meant to reach environments, or nothing."""
    nothing = nothing_made(view)
    if nothing:
        return nothing
    training = training_of(view)
    seeded = any(
        process.seeded or process.seeded_python or process.own_seed
        for process in training.processes
    )
    acts = any(_acts_unseeded(each, training) for each in training.instances)
    return "" if seeded or acts else _NO_SEED


@rule(
    "TRN021",
    "seed-not-reached",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=unjudged,
    counts=counted("instances without a seed", "instances"),
)
def seed_not_reached(view: View) -> Iterator[Finding]:
    training = training_of(view)
    for site in by_site(each for each in stepped(training) if _is_unseeded(each, training)):
        who, first = f"{of(len(site), 'instance')} of {whose(site)}", site[0]
        call = "reset() was never given a seed" if first.takes_seed else "reset() takes no seed"
        yield seed_not_reached.finding(
            f"the training {_how_it_seeds(first, training)}, and {call} for {who}, whose own"
            " random generator the operating system seeded: no two runs play the same episodes",
            _give_seeds(first),
            aim=give_seed(first.location) if first.takes_seed else None,
            location=first.location,
            key=(first.type, first.by, SOURCES[OWN]),
            blame=UNKNOWN,
            evidence={"instances": len(site), "generator": SOURCES[OWN]},
        )
    for site in by_site(each for each in stepped(training) if _is_unseeded_there(each, training)):
        who, first = f"{of(len(site), 'instance')} of {whose(site)}", site[0]
        lines = drawing_lines(first.type, SOURCES[NUMPY], training)
        yield seed_not_reached.finding(
            f"the training seeds numpy.random, and nothing seeds it in the workers of {who}, which"
            f" draw from it{at_lines(lines)}: no two runs play the same episodes",
            f"draw in {first.class_name} from self.np_random, which the seed of reset() decides; or"
            " seed numpy.random in the function that makes the environment, which is called in the"
            " worker, with another seed for each.",
            aim=DrawOwn(Frame(lines[0].file, lines[0].line), first.class_name) if lines else None,
            location=lines[0] if lines else first.location,
            key=(first.type, first.by, SOURCES[NUMPY]),
            blame=UNKNOWN,
            evidence={"instances": len(site), "generator": SOURCES[NUMPY]},
        )
    for source, call in SEEDING.items():
        others = (each for each in stepped(training) if _is_other(each, source, training))
        for site in by_site(others):
            yield _other(site, source, call, training)
    for site in by_site(each for each in stepped(training) if _has_default(each, training)):
        yield from _default(site)
    for site in by_site(each for each in stepped(training) if _acts_unseeded(each, training)):
        yield _actions(site)


def _how_it_seeds(instance: Instances, training: Training) -> str:
    """`seeds numpy.random`, or `makes a generator of its seed at train.py:90`."""
    place = _own_seed(instance, training)
    if place is None or _seeded_by(instance, training):
        return "seeds numpy.random"
    return f"makes a generator of its seed at {short(place.file)}:{place.line}"


def _actions(site: list[Instances]) -> Finding:
    """The actions of the instances of a line are drawn from a space that nothing seeds."""
    first = site[0]
    draw, who = _action_draw(first), f"{of(len(site), 'instance')} of {whose(site)}"
    line, host = (draw.location, draw.vectorizer) if draw is not None else (None, "")
    place, owner = f"{short(line.file)}:{line.line}" if line else "", f" of {host}" if host else ""
    its, made = "its" if len(site) == 1 else "their", first.location
    beginning = (
        f"the training seeds numpy.random, and actions of {who}"
        if first.seed is None
        else f"reset() of {who} is given a seed, and {its} actions"
    )
    return seed_not_reached.finding(
        f"{beginning} are drawn from {ACTION_SPACE}{owner} at {place}, whose own random generator"
        " the operating system seeded: no two runs play the same actions",
        f"call `{'envs' if host else 'env'}.{ACTION_SPACE}.seed(SEED)` before the first action is"
        f" drawn{OTHER_SPACE if host else ''}. What decides the episodes needs no change.",
        aim=SeedActions(Frame(made.file, made.line), host) if made else None,
        location=line,
        key=(first.type, first.by, ACTION_SPACE),
        blame=UNKNOWN,
        evidence={"instances": len(site), "generator": ACTION_SPACE},
    )


def _action_draw(instance: Instances) -> Draw | None:
    """The draw of the actions of an instance from a space that nothing seeded, with its line."""
    draws = (draw for draw in instance.draws if draw.source == ACTION_SPACE)
    return next(draws, None)


def _acts_unseeded(instance: Instances, training: Training) -> bool:
    """Return whether its actions are drawn from a space that nothing of a seeded training seeded.
    Where its own generator has no seed either, that is said of it. SB3's make_vec_env() draws seeds
    where it is given none: with those no run is meant to be repeated.
    """
    chosen = instance.seed is not None and instance.seed < CHOSEN
    seeds = chosen or _seeded_by(instance, training)
    is_drawn = _action_draw(instance) is not None
    return is_drawn and seeds and not _is_unseeded(instance, training)


def _other(site: list[Instances], source: str, call: str, training: Training) -> Finding:
    """Instances of a line draw from a global generator, and the training seeds the other one."""
    who, first = f"{of(len(site), 'instance')} of {whose(site)}", site[0]
    lines, seeded = drawing_lines(first.type, source, training), OTHER[source]
    draws, made = "draws" if len(site) == 1 else "draw", first.location
    return seed_not_reached.finding(
        f"the training seeds {NAMES[seeded]}, and nothing seeds {NAMES[source]}, from which {who}"
        f" {draws}{at_lines(lines)}: no two runs play the same episodes",
        f"call `{call}` as well, where {NAMES[seeded]} is seeded; or draw from {NAMES[seeded]}"
        " there.",
        aim=SeedOther(Frame(made.file, made.line), source) if made else None,
        location=lines[0],
        key=(first.type, first.by, source),
        blame=UNKNOWN,
        evidence={"instances": len(site), "generator": source},
    )


def _default(site: list[Instances]) -> Iterator[Finding]:
    """A default seeds the generator of the instances of a line."""
    who, seed = f"{of(len(site), 'instance')} of {whose(site)}", site[0].default_seed
    if seed is None:
        return
    made_at = f" at {short(seed.made_at.file)}:{seed.made_at.line}" if seed.made_at else ""
    place, defined = (f"{short(at.file)}:{at.line}" for at in (seed.location, seed.defined))
    yield seed_not_reached.finding(
        f"the training seeds numpy.random, and reset() of {who} draws from a generator that is"
        f" made{made_at} of {seed.value}, the default of {seed.name} in {seed.owner}() ({defined}),"
        f" which {place} leaves out: runs with other seeds begin with the same episodes",
        f"give {seed.owner}() the seed of the training at {place}: `{seed.name}=SEED`, another one"
        " for each where there are several.",
        aim=GiveArgument(Frame(seed.location.file, seed.location.line), seed.owner, seed.name),
        location=seed.location,
        key=(site[0].type, site[0].by, seed.owner),
        blame=UNKNOWN,
        evidence={"instances": len(site), "default": seed.value},
    )


def _has_default(instance: Instances, training: Training) -> bool:
    """Return whether a default decides what all of its class draw, which make most of the steps."""
    alike = [each for each in stepped(training) if each.type == instance.type]
    return (
        all(each.default_seed and each.seed is None and not each.reseeded for each in alike)
        and steps_of(alike) >= BUSY * steps_of(training.instances)
        and _seeded_by(instance, training)
    )


def _is_unseeded(instance: Instances, training: Training) -> bool:
    """Return whether it draws from a generator of its own that nothing of a seeded training
    seeded.
    """
    alike = (each for each in training.instances if each.type == instance.type)
    return (
        SOURCES[OWN] in instance.unseeded
        and SOURCES[OWN] in instance.moved
        and all(each.seed is None and not each.reseeded for each in alike)
        and (_seeded_by(instance, training) or _own_seed(instance, training) is not None)
    )


def _is_unseeded_there(instance: Instances, training: Training) -> bool:
    """Return whether it draws from the global generator of a worker that nothing seeded there."""
    process = training.process(instance.pid)
    return (
        SOURCES[NUMPY] in instance.unseeded
        and SOURCES[NUMPY] in instance.moved
        and process is not None
        and process.is_worker
        and not process.seeded
        and _seeded_by(instance, training)
    )


def _is_other(instance: Instances, source: str, training: Training) -> bool:
    """Return whether methods of its class draw from a global generator that nothing seeded in its
    process, in a training that seeds the other one there.
    """
    process = training.process(instance.pid)
    if process is None or source not in instance.moved:
        return False
    is_python = source == SOURCES[PYTHON]
    unseeded = process.seeded_python is False if is_python else SOURCES[NUMPY] in instance.unseeded
    seeded = process.seeded if is_python else bool(process.seeded_python)
    return unseeded and seeded and bool(drawing_lines(instance.type, source, training))


def _seeded_by(instance: Instances, training: Training) -> bool:
    """Return whether numpy's global generator was seeded in its process, or in a parent of it."""
    return any(process.seeded for process in _lineage(instance, training))


def _own_seed(instance: Instances, training: Training) -> Location | None:
    """The line that made a generator of a seed in its process, or in a parent of it."""
    lines = (process.own_seed for process in _lineage(instance, training))
    return next(filter(None, lines), None)


def _lineage(instance: Instances, training: Training) -> Iterator[TrainingProcess]:
    process = training.process(instance.pid)
    for _ in training.processes:
        if process is None:
            return
        yield process
        process = training.process(process.parent)


def _give_seeds(first: Instances) -> str:
    if not first.takes_seed:
        return (
            f"let reset() of {first.class_name} take a seed, or its constructor, and make its"
            " generator of that."
        )
    call = profile_of(first.by).seed_instances or "env.reset(seed=SEED)"
    return (
        f"call `{call}` before the first step: later calls of reset() go on from there. Where"
        " actions are drawn from action_space, call its seed(), too."
    )


_AT, _LINE = Location("/train.py", 9), Location("/point.py", 17, "Point.reset")


def _example(
    source: int = OWN,
    *,
    seeded: bool = True,
    worker: bool = False,
    others: int = 0,
    own_seed: Location | None = None,
    **known: Any,
) -> View:
    """An instance that draws from a source that the operating system seeded."""
    names = (SOURCES[source],)
    first = Instances(7, 1, "point.Point", _AT, step=Calls(900, 900), make=Calls(1, 1))
    first = replace(first, **{"moved": names, "unseeded": names, **known})
    trainer = TrainingProcess(6 if worker else 7, seeded=seeded, own_seed=own_seed)
    processes = (trainer, TrainingProcess(7, 6, "-c from multiprocessing.spawn import spawn_main"))
    more = tuple(replace(first, row=row, seed=5) for row in range(2, 2 + others))
    return watched_view(
        Training((), trainer.pid, processes=processes[: 1 + worker], instances=(first, *more))
    )


def _drawing(
    source: int,
    *,
    seeded: bool,
    seeded_python: bool | None,
    lines: tuple[Location, ...] = (_LINE,),
    moved: bool = True,
) -> View:
    """An instance that draws from a global generator of its process."""
    first = replace(
        Instances(7, 1, "point.Point", _AT, step=Calls(900, 900), make=Calls(1, 1)),
        unseeded=() if seeded else (SOURCES[NUMPY],),
        draws=tuple(Draw(SOURCES[source], line) for line in lines),
        moved=(SOURCES[source],) * moved,
    )
    trainer = TrainingProcess(7, seeded=seeded, seeded_python=seeded_python)
    return watched_view(Training((), 7, processes=(trainer,), instances=(first,)))


_OWN = (
    "the training seeds numpy.random, and reset() was never given a seed for 1 instance of Point"
    " made at /train.py:9, whose own random generator the operating system seeded: no two runs play"
    " the same episodes"
)

_DEFAULT = DefaultSeed(
    "seed",
    42,
    "make",
    Location("/pool.py", 38),
    Location("/train.py", 37),
    Location("/pool.py", 15),
)
_ACTIONS = (Draw(ACTION_SPACE, Location("/train.py", 31, "act")),)
_OF_ALL = (replace(_ACTIONS[0], vectorizer="Pool"),)
_BY_DEFAULT = _example(unseeded=(), default_seed=_DEFAULT)

EXAMPLES = (
    Example(
        "a seed is not handed on",
        _BY_DEFAULT,
        "the training seeds numpy.random, and reset() of 1 instance of Point made at"
        " /train.py:9 draws from a generator that is made at pool.py:15 of 42, the default"
        " of seed in make() (pool.py:38), which train.py:37 leaves out: runs with other"
        " seeds begin with the same episodes",
    ),
    Example("reset() has one", _example(unseeded=(), default_seed=_DEFAULT, seed=3)),
    Example("nothing seeds", _example(unseeded=(), default_seed=_DEFAULT, seeded=False)),
    Example("the generators of the process are seeded alone", _example(), _OWN),
    Example("in a worker that is spawned", _example(worker=True), _OWN),
    Example(
        "the script makes a generator of its seed",
        _example(seeded=False, own_seed=Location("/train.py", 90)),
        _OWN.replace("seeds numpy.random", "makes a generator of its seed at train.py:90"),
    ),
    Example(
        "it does, and an instance of that class is given a seed",
        _example(seeded=False, own_seed=Location("/train.py", 90), others=1),
    ),
    Example(
        "its reset() takes none",
        _example(takes_seed=False),
        _OWN.replace("was never given a seed", "takes no seed"),
    ),
    Example(
        "its global generator, which nothing seeds there",
        _example(NUMPY, worker=True, seed=3, draws=(Draw(SOURCES[NUMPY], _LINE),)),
        "the training seeds numpy.random, and nothing seeds it in the workers of 1 instance"
        " of Point made at /train.py:9, which draw from it at point.py:17: no two runs play"
        " the same episodes",
    ),
    Example("a training that seeds nothing", _example(seeded=False)),
    Example("reset() was given a seed", _example(seed=21)),
    Example("reset() is given seeds later", _example(reseeded=4)),
    Example("another instance was given one: an evaluation of chance", _example(others=1)),
    Example("a constructor seeds it", _example(unseeded=())),
    Example("it draws nothing", _example(moved=())),
    Example("the trainer's own global generator", _example(NUMPY)),
    Example(
        "actions of a space that nothing seeds",
        _example(unseeded=(), seeded=False, seed=3, draws=_ACTIONS),
        "reset() of 1 instance of Point made at /train.py:9 is given a seed, and its"
        " actions are drawn from action_space at train.py:31, whose own random generator"
        " the operating system seeded: no two runs play the same actions",
    ),
    Example(
        "actions of a vectorizer's space that nothing seeds",
        _example(unseeded=(), seeded=False, seed=3, draws=_OF_ALL),
        "reset() of 1 instance of Point made at /train.py:9 is given a seed, and its"
        " actions are drawn from action_space of Pool at train.py:31, whose own random"
        " generator the operating system seeded: no two runs play the same actions",
    ),
    Example(
        "a seed that was drawn",
        _example(unseeded=(), seeded=False, seed=3_141_592_653, draws=_ACTIONS),
    ),
    Example(
        "it draws from Python's, and the script seeds numpy's alone",
        _drawing(PYTHON, seeded=True, seeded_python=False),
        "the training seeds numpy.random, and nothing seeds Python's random, from which 1"
        " instance of Point made at /train.py:9 draws at point.py:17: no two runs play the"
        " same episodes",
    ),
    Example(
        "the generators of the process are seeded, and chance is in the actions alone",
        _example(unseeded=(), moved=(), draws=_ACTIONS),
        "the training seeds numpy.random, and actions of 1 instance of Point made at"
        " /train.py:9 are drawn from action_space at train.py:31, whose own random"
        " generator the operating system seeded: no two runs play the same actions",
    ),
    Example("neither the episodes nor the actions have a seed", _example(draws=_ACTIONS), _OWN),
    Example(
        "actions of a training that seeds nothing",
        _example(unseeded=(), seeded=False, draws=_ACTIONS),
    ),
    Example(
        "it draws from numpy's, and the script seeds Python's alone",
        _drawing(NUMPY, seeded=False, seeded_python=True),
        "the training seeds Python's random, and nothing seeds numpy.random, from which 1"
        " instance of Point made at /train.py:9 draws at point.py:17: no two runs play the"
        " same episodes",
    ),
    Example("both are seeded", _drawing(PYTHON, seeded=True, seeded_python=True)),
    Example("both are seeded, numpy's", _drawing(NUMPY, seeded=True, seeded_python=True)),
    Example("seeds of Python's are unknown", _drawing(PYTHON, seeded=True, seeded_python=None)),
    Example("neither is seeded", _drawing(PYTHON, seeded=False, seeded_python=False)),
    Example(
        "the trainer draws from it, and not the environment",
        _drawing(PYTHON, seeded=True, seeded_python=False, lines=()),
    ),
    Example("nothing was drawn", _drawing(PYTHON, seeded=True, seeded_python=False, moved=False)),
)
