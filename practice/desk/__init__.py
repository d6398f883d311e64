"""The command line, and the pages and notebooks that are written from the exercise files."""
