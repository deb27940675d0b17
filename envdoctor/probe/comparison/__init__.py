"""What instances returned, recorded as exact values and compared."""
