"""Values that travel to another process and back."""
