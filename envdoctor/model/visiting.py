"""Requests to a process that envdoctor did not start.

Little is imported here: the process would have to.
"""

from __future__ import annotations

#: A reading; the instances as well; a look at the containers, too; the instances for the last time.
READING, INSTANCES, CONTAINERS, END = "reading", "instances", "containers", "end"
PLACE = "_envdoctor_visitor"  # in sys.modules of the process, from the first visit to the last
