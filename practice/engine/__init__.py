"""Holes, answers, processes and verdicts: everything that judges, and nothing that is shown."""
