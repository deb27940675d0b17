"""Observations of instances while they exist: who builds, resets and closes them, what they take,
what they change.
"""
