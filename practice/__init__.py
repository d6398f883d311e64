"""The judge and the exercises.

judge.py      the front door, in a terminal and in a notebook
exercise.py   what an exercise is; exercises/ has one file each
oracles.py    what is right, apart from the package; streams.py: material for cases
engine/       holes, answers, processes, verdicts
desk/         the command line, and pages written from the exercises
lesson/       magics, verdicts with buttons, predictions
answers/      what the reader wrote
"""
