"""The parser of the command line, built once: it takes a tenth of a second, and runners build it for
each invocation.
"""

from __future__ import annotations

from functools import cache

import typer.testing
from typer.main import get_command

typer.testing._get_command = cache(get_command)
