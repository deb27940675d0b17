"""DOC: the limits of envdoctor itself, and of the frameworks that it knows."""
