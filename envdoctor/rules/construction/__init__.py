"""MAK: building instances."""
