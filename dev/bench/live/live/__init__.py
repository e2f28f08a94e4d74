"""Live arms: the same tasks, the same agent, one meter, with and without compression."""
