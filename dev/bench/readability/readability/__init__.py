"""Questions about data in several forms, asked of a model and scored without one."""
