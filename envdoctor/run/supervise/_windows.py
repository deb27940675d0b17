"""Windows: nothing is examined there yet. It has no sessions and no signals as they are used here,
no select() on pipes, and multiprocessing has other ways there; a report that looked at half of it
would call sick environments healthy.
"""

from __future__ import annotations

SENTENCE = (
    "Windows is not supported yet; install envdoctor in WSL (`wsl --install`) and examine your"
    " environment there"
)
