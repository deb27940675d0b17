"""Numbers as text, written one way everywhere: binary units for bytes, seconds, ordinals."""

from __future__ import annotations


def size(number: float) -> str:
    """`24 bytes`, `1.6 KiB`, `69.2 MiB`, `1.5 GiB`, `34.4 TiB`."""
    units = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
    for unit, factor in units:
        if abs(number) >= factor * 0.9995:
            return "%.1f %s" % (number / factor, unit)
    if 0 < abs(number) < 1:
        return "%.2g bytes" % number
    return "1 byte" if round(number) == 1 else "%.0f bytes" % number


def duration(seconds: float) -> str:
    """`0.8 s`, `45 s`, `2 min 5 s`, `3 h 20 min`."""
    if seconds < 10:
        return "%.1f s" % seconds
    rounded = round(seconds)
    if rounded < 120:
        return "%d s" % rounded
    minutes, rest = divmod(rounded, 60)
    if minutes < 120:
        return "%d min %d s" % (minutes, rest) if rest else "%d min" % minutes
    hours, minutes = divmod(minutes, 60)
    return "%d h %d min" % (hours, minutes) if minutes else "%d h" % hours


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`."""
    teens = number % 100 in (11, 12, 13)
    return "%d%s" % (number, "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th"))
