"""Names of frameworks, environment APIs, and the null environment."""
