"""STC 2: JSON with bare words, and with everything that repeats factored out (``spec/stc2.md``)."""
