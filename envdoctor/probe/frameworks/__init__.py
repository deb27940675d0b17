"""What frameworks are called, which environment APIs there are, and the null environment."""
