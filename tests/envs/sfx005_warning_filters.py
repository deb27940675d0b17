"""One library warns a lot, so all warnings are switched off, and logging is set up at the
import.
"""

from __future__ import annotations

import logging
import warnings

from plain import Plain

ARGUMENTS = ["--managers", "direct"]

logger = logging.getLogger(__name__)


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__()
        warnings.filterwarnings("ignore")
        logging.basicConfig(level=logging.DEBUG)


class Healthy(Plain):
    def __init__(self, render_mode=None):
        super().__init__()
        warnings.filterwarnings("ignore", message="the old format", module="plain")
        logger.setLevel(logging.DEBUG)
