"""Saved runs: written while scenarios are played, judged again without playing any."""
