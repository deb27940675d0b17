"""Trial of the factory's way to a worker, by plain pickle and by cloudpickle: whether it survives,
and the path of what breaks.
"""

from __future__ import annotations

import functools
import pickle
from typing import Callable, Dict, Optional

from envdoctor.model.subject import Subject
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.pickling.round_trip import attempt
from envdoctor.probe.subject import load


def check(subject: Subject, journal: Journal, ownership: Ownership) -> None:
    """Journal the pickle fact for what the user would hand to a vectorizer: the id with its
    arguments, or the callable.
    """
    resolved = load.find(subject)
    target, kwargs = resolved.target, dict(subject.kwargs)
    factory: object = (
        (resolved.id, kwargs) if target is None else functools.partial(target, **kwargs)
    )
    value: Dict[str, object] = {
        "what": resolved.id or getattr(target, "__qualname__", type(target).__name__)
    }
    value["plain"] = attempt(factory, pickle.dumps, ownership, "factory")._asdict()
    cloud = _cloudpickle()
    value["cloudpickle"] = (
        attempt(factory, cloud, ownership, "factory")._asdict() if cloud else None
    )
    journal.write("fact", key="pickle", value=value)


def _cloudpickle() -> Optional[Callable[[object], bytes]]:
    try:
        import cloudpickle
    except ImportError:
        return None
    dumps: Callable[[object], bytes] = cloudpickle.dumps
    return dumps
