"""EnvPool: environments of C++ that step several at once."""
