"""Facts about this process that the operating system and multiprocessing know."""
