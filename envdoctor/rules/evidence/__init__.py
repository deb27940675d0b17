"""Readings of traces that several rules share."""
