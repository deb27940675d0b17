"""What several rules read from traces."""
