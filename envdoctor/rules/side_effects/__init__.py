"""SFX: what an environment changes in the whole process."""
