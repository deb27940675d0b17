"""BUF: replay buffers that are filled from the environment."""
