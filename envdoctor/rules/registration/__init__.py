"""REG: finding the environment, and rebuilding it in another process."""
