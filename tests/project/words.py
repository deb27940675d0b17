"""The words that are not used: in names, and in text for people. The one list of both."""

from __future__ import annotations

import re

#: Names that are nothing but one of these say nothing: what is it that was found?
BANNED_NAMES = frozenset(["one", "it", "found", "told", "played", "whole", "seen", "born", "given"])
#: Words that no name has as a part, with the word of the field that is said instead in the comment.
BANNED_PARTS = frozenset(
    [
        *("told", "tells"),  # reported, described
        *("born", "births"),  # created, instances
        *("undertaker", "burial", "leash"),  # cleanup watchdog, probe process
        *("stocking",),  # replay buffer
        *("unheard",),  # unraisable
        *("hunt", "doubt"),  # leak check
        *("takings", "remains", "taken"),  # leftovers, acquired
        *("journey", "sending", "travelling"),  # pickling
        *("dialect",),  # environment API
        *("stillness",),  # idle detection
        *("privacy",),  # redaction
        *("aside", "apart", "elsewhere"),  # optional, overrides, other places
        *("proofreading",),  # undefined names
        *("lanes", "lives", "living", "being"),  # timeline, lifecycles, instances
        *("seat", "beats", "wish", "desk", "ruler", "reception", "confess"),
    ]
)
#: How a docstring does not open.
QUESTION = re.compile(r"(?:What|Whether|Who|Whose|Whom|Why|Which|How|Where|When|The same)\b")

BLANK = r"[\s#>]+"  # also the margin of a comment or of a quotation

#: The banned turns, as patterns in which a blank may be a line break, and what to write instead.
BANNED_TURNS = {
    r"(?:is|are|was|were) no(?! (?:longer|more)\b)": "is not, cannot, does not exist, without",
    r"nobody|somebody": "name who it is, or use the passive: is not waited for",
    r"whoever": "name who it is: the caller, the reader",
    r"whatever": "what, any, all that",
    r"(?:is|are|was|were) told": "is reported, is shown, gets",
    r"tells? of": "reports, shows",
    r"stands? in": "is in, is written in",
}
