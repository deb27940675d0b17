"""The plan of a sweep: one examination a key. Text in, values out.

The key is made of the SPEC, its arguments, the versions of all packages, the interpreter and the
class of machine: equal keys mean equal examinations.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, field, replace

from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.fingerprint import rootless

KEY_DIGITS = 24  # hexadecimal
#: What a line of a file may name, and the field of PlanEntry that has it.
LINE_OPTIONS = {
    "-k": "kwargs",
    "--kwarg": "kwargs",
    "--import": "imports",
    "--action": "action",
    "--actions": "actions",
}
LOCAL, SHARD, RAY = "local", "shard", "ray"


@dataclass(frozen=True)
class Identity:
    """The identity of an examination. `arguments` are those of the environment, `options` those of
    the examination; `versions` is the digest of the packages. `name` is there where another
    examination of the same sweep has the same SPEC, without its folder, and the same arguments.
    """

    spec: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    interpreter: str = ""
    versions: str = ""
    machine: str = ""
    name: str = ""

    @property
    def key(self) -> str:
        """The name of its files. What else is swept with it changes its `name`, and not this."""
        values = asdict(self)
        del values["name"]
        return digest(values)[:KEY_DIGITS]

    @property
    def label(self) -> str:
        """`CartPole-v1 size=3`: what a person calls it, the same in another checkout."""
        shown = (f"{name}={json.dumps(value)}" for name, value in sorted(self.arguments.items()))
        return " ".join([self.name or rootless(self.spec), *shown])

    @property
    def place(self) -> tuple[str, str, str]:
        """The place of a result: the newest result of a place counts."""
        return (self.label, self.interpreter, self.machine)


@dataclass(frozen=True)
class PlanEntry:
    """A line of a file of SPECs: `MiniGrid-Empty-5x5-v0 -k size=3 --import minigrid`. `action` and
    `actions` are those of `check`.
    """

    spec: str
    kwargs: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    action: str | None = None
    actions: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its arguments and imports."""
        named = [word for text in self.kwargs for word in ("-k", text)]
        return (*named, *self._imports)

    @property
    def options(self) -> tuple[str, ...]:
        """Its words without the arguments of the environment: they tell it from others."""
        single = (("--action", self.action), ("--actions", self.actions))
        return (
            *self._imports,
            *(word for option, text in single if text is not None for word in (option, text)),
        )

    @property
    def _imports(self) -> tuple[str, ...]:
        return tuple(word for text in self.imports for word in ("--import", text))


@dataclass(frozen=True)
class Examination:
    """One examination to be made: the words of its `check`, and where they are said."""

    identity: Identity
    words: tuple[str, ...]
    directory: str

    @property
    def key(self) -> str:
        """The name of its files."""
        return self.identity.key


def digest(value: object) -> str:
    """The digest of plain values, in hexadecimal."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def parse_entries(text: str, name: str) -> tuple[PlanEntry, ...]:
    """The lines of a file of SPECs called `name`; # begins a comment. Raises UsageError."""
    entries = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise UsageError(f"{name}:{number}: its quotes are not closed") from error
        if words:
            entries.append(_entry(words, f"{name}:{number}"))
    return tuple(entries)


def _entry(words: list[str], where: str) -> PlanEntry:
    spec, rest = words[0], words[1:]
    values: dict[str, list[str]] = {name: [] for name in ("kwargs", "imports", "action", "actions")}
    while rest:
        option = rest.pop(0)
        if option not in LINE_OPTIONS or not rest:
            raise UsageError(
                f"{where}: {option!r} is not understood: write SPEC, then -k NAME=VALUE or"
                " --import MODULE as often as needed, and --action VALUE or --actions SPEC"
            )
        values[LINE_OPTIONS[option]].append(rest.pop(0))
    kwargs, imports, action, actions = values.values()
    if len(action) + len(actions) > 1:
        raise UsageError(f"{where}: write --action or --actions once")
    single = (texts[0] if texts else None for texts in (action, actions))
    return PlanEntry(spec, tuple(kwargs), tuple(imports), *single)


def distinct(examinations: Sequence[tuple[Examination, PlanEntry]]) -> tuple[Examination, ...]:
    """Examinations with different labels: two files of one name get their folders, and one SPEC
    that is named twice gets the options of its lines.
    """
    alike: dict[tuple[str, str, str], list[tuple[Examination, PlanEntry]]] = {}
    for examination, entry in examinations:
        alike.setdefault(examination.identity.place, []).append((examination, entry))
    names = {
        examination.key: name
        for several in alike.values()
        if len(several) > 1
        for (examination, _), name in zip(several, _names(several), strict=True)
    }
    return tuple(
        replace(each, identity=replace(each.identity, name=names.get(each.key, "")))
        for each, _ in examinations
    )


def _names(alike: Sequence[tuple[Examination, PlanEntry]]) -> list[str]:
    specs = [examination.identity.spec for examination, _ in alike]
    if len(set(specs)) == 1:
        shown = list(map(rootless, specs))
    elif all(spec.startswith("/") for spec in specs):
        shown = [posixpath.relpath(spec, posixpath.commonpath(specs)) for spec in specs]
    else:
        shown = specs
    return [
        " ".join(filter(None, (spec, shlex.join(entry.options))))
        for spec, (_, entry) in zip(shown, alike, strict=True)
    ]


@dataclass(frozen=True)
class Where:
    """The place of a sweep: here, a share of it here, or on a cluster. `share` is (number, of how
    many). `ray` is Ray's word for its address, empty where Ray finds it; None for no cluster.
    """

    share: tuple[int, int] = (1, 1)
    ray: str | None = None


def refuse_client(named: str, address: str) -> None:
    """Raises UsageError for the address of a Ray Client, which `named` says where it comes from."""
    if "://" in address:
        raise UsageError(
            f"{named}: Ray Client is not supported; name the head of the cluster, such as"
            " --on ray:HOST:6379, or submit the sweep as a job"
        )


def parse_place(text: str) -> Where:
    """`local`, `shard:2/8`, `ray` or `ray:HOST:6379`. Raises UsageError."""
    if text == LOCAL:
        return Where()
    if text == RAY:
        return Where(ray="")
    refuse_client(f"invalid --on {text!r}", text)
    kind, colon, rest = text.partition(":")
    if kind == RAY and colon and re.fullmatch(r"auto|local|[\w.\[\]:-]+:\d{1,5}", rest, re.ASCII):
        return Where(ray=rest)
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", rest, re.ASCII) if kind == SHARD else None
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(
            f"invalid --on {text!r}: expected local, a share such as shard:2/8, ray, or the"
            " address of a Ray cluster such as ray:HOST:6379"
        )
    return Where((int(match[1]), int(match[2])))


def share(examinations: Iterable[Examination], number: int, shares: int) -> tuple[Examination, ...]:
    """Every examination of share `number` of `shares`; neighbors, which take equally long, go to
    different ones.
    """
    return tuple(examinations)[number - 1 :: shares]
