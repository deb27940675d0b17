"""The subject: found, described, built, checked by its own framework."""
