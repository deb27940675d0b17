"""VEC: environments in the workers of a vectorizer."""
