"""How fast, and how right: measured beside what others use, each by one command.

``python -m benchmarks.detokenize``, ``benchmarks.tokenize`` and ``benchmarks.conformance``
print a table and keep their results in ``benchmarks/results``; ``--quick`` takes seconds.
"""
