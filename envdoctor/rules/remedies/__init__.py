"""Remedies that several rules share: lines to paste, and lines that launch a manager."""
