"""HNG: calls that do not come back."""
