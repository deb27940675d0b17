"""LEK: what grows from one cycle to the next."""
