"""What the operating system and multiprocessing know of this process."""
