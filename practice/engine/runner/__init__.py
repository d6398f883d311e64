"""The process in which answers run.

    client.py  (kernel or command line)    cases and oracles; computes verdicts
       | request: an answer and cases      ^ outcomes, one by one
    server.py  (warm)                      libraries and tokenizers loaded, nothing run
       | forks, with limits                ^ outcomes, one by one
    child.py   (one for each answer)       digs and fills one target, drives it

`process.py` starts a child and ends it, `limits.py` has all limits, `frames.py` the messages,
`checks.py` what a child looks at before values are compared.

What is expected never leaves the client, so a printed verdict or an early exit wins nothing.

It is no sandbox. An answer is the reader's own code and runs with the reader's rights: it can
read files, the package's solution among them, and use the network. The limits are there so
that a slip (an endless loop, all of the memory) costs seconds and not the afternoon.
"""
