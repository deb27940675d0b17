"""What an array needed that could not be had, and what to do about it."""

from __future__ import annotations

import math
import re

from envdoctor.model.training_instances import Raised
from envdoctor.model.units import size

#: The words of numpy on an array, and those of PyTorch on a device.
ARRAY = re.compile(
    r"Unable to allocate .* array with shape \((?P<shape>\d[\d, ]*)\) and data type (?P<type>\w+)"
)
DEVICE = re.compile(r"out of memory\. Tried to allocate (?P<size>[\d.]+ \w+)")
BITS = re.compile(r"\d+$")  # at the end of the name of a type
WIDE = "64"
TYPE = "MemoryError"


def out_of_memory(error: Raised) -> tuple[str, str] | None:
    """Return what an array needs that could not be made, said after it, and the cure; None of other
    exceptions.
    """
    array, device = ARRAY.search(error.message), DEVICE.search(error.message)
    if array is not None:
        return _of_array(array.group("shape"), array.group("type"))
    if device is not None:
        return f": a device had no {device.group('size')} left", (
            "learn from smaller batches, let go of tensors of earlier steps (`.detach()`, and no"
            " graph of them), and keep what is stored on the CPU."
        )
    if error.type.rpartition(".")[2].endswith(TYPE):
        return "", "hold less: learn from smaller parts, or store fewer steps."
    return None


def _of_array(shape: str, kind: str) -> tuple[str, str]:
    lengths = [int(each) for each in shape.split(",") if each.strip()]
    bits = BITS.search(kind)
    width = int(bits.group()) if bits is not None else 8
    counts = " x ".join(f"{each:,}" for each in lengths)
    why = f": {counts} of {kind} are {size(math.prod(lengths) * width / 8)}"
    narrow = f", or store them as {kind[:-2]}32, in half of it" if kind.endswith(WIDE) else ""
    return why, (
        f"take fewer of the {lengths[0]:,} at once{narrow}. Where they are stored already, an array"
        " of them that is indexed by a list, or joined, is a copy, and both are in memory then."
    )
