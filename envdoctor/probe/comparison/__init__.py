"""Values that instances returned, recorded exactly and compared."""
