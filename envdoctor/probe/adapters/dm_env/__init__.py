"""The shape of TimeSteps."""
