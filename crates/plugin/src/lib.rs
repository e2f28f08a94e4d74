//! What a plugin is: the phases of a request, what may be seen in each, and what may come of it.
