"""The doctor's request to a probe: one scenario, as one line on its pipe."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Optional

from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import Subject


class PlayRequest(NamedTuple):
    """Play a `scenario` of a subject and write the `journal`, a path. `spaces` is the file of the
    subject's pickled spaces, for the control; `step_budget` are the seconds that steps may take;
    `imports` is a file in which what the scenario imports is written down, where it is not there.
    """

    scenario: Scenario
    subject: Subject
    journal: str
    seed: int
    step_budget: float
    spaces: Optional[str] = None
    imports: Optional[str] = None

    def encoded(self) -> str:
        """The line."""
        values = self._asdict()
        values.update(scenario=self.scenario.as_dict(), subject=self.subject.as_dict())
        return json.dumps(values) + "\n"

    @classmethod
    def decode(cls, line: str) -> PlayRequest:
        """The request of a line. Raises ValueError for a line that holds none."""
        values: Any = json.loads(line)
        try:
            request = cls(
                Scenario.from_dict(values.pop("scenario")),
                Subject.from_dict(values.pop("subject")),
                **values,
            )
        except (TypeError, AttributeError, LookupError) as error:
            raise ValueError("no request: %s" % error) from error
        fits = (
            isinstance(request.journal, str)
            and isinstance(request.seed, int)
            and isinstance(request.step_budget, (int, float))
            and isinstance(request.spaces, (str, type(None)))
            and isinstance(request.imports, (str, type(None)))
        )
        if not fits:
            raise ValueError("no request: its journal, seed, budget or file of spaces is none")
        return request
