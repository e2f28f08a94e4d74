"""One line for a framework: each module needs the framework of its name, and nothing else here does."""
