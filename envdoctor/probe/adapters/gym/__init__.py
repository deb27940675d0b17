"""The older gym, 0.19 to 0.26: its environments as they are traced."""
