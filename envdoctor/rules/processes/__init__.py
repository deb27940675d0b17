"""PRC: processes that stay, and workers that die."""
