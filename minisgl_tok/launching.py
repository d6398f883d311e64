"""Which processes a server's tokenizer is made of, and who creates which address.

    num_tokenizer = 0     API server, scheduler ─▶ one process for both directions

    num_tokenizer = 2     API server ─▶ tokenizer 0, 1 ─▶ scheduler
                                              ╰─ OpenMsg ─▶ detokenizer ◀─ scheduler

    num_detokenizer = 2   … ─▶ forwarder ─▶ detokenizer 0, 1   each uid to its own

With tokenizers apart the detokenizer sees no prompt, so a tokenizer tells it what each
request wishes before the scheduler hears of the request.

Source: mini-sglang, ``minisgl/server/launch.py`` and ``args.py``.
"""

from __future__ import annotations

import argparse
import logging
import signal
import tempfile
import threading

from .managers import NAMES
from .processes import START_TIMEOUT, Child, Launched

logger = logging.getLogger(__name__)


def launch(
    *,
    tokenizer_path: str,
    backend_addr: str,
    frontend_addr: str,
    detokenizer_addr: str,
    tokenizer_addr: str | None = None,
    create: bool | None = None,
    num_tokenizer: int = 0,
    num_detokenizer: int = 1,
    local_bs: int = 256,
    detokenizer: str = "exact",
    extended: bool = False,
    max_prompt_tokens: int | None = None,
    restart: bool = True,
    entry: str = "minisgl_tok.server:tokenize_worker",
    start_timeout: float = START_TIMEOUT,
) -> Launched:
    """Start the tokenizer's processes and wait until they are ready.

    Addresses are created as in mini-sglang: the scheduler and the API server create
    `backend_addr` and `frontend_addr`. With ``num_tokenizer=0`` all messages come to
    `detokenizer_addr`, which is created here. With more, prompts come to `tokenizer_addr`,
    and both are created by their senders, so that the tokenizers share the prompts. `create`
    overrides that.

    `entry` names the function that a worker process calls, with the arguments of
    `server.tokenize_worker`.
    """
    if num_tokenizer < 0 or num_detokenizer < 1:
        raise ValueError("there are 0 or more tokenizers and 1 or more detokenizers")
    if num_tokenizer and not tokenizer_addr:
        raise ValueError("tokenizers apart need an address of their own: tokenizer_addr")
    if detokenizer not in NAMES:
        raise ValueError(f"no detokenizer {detokenizer!r}: there are {', '.join(NAMES)}")
    common = {
        "tokenizer_path": tokenizer_path,
        "backend_addr": backend_addr,
        "frontend_addr": frontend_addr,
        "local_bs": local_bs,
        "extended": extended,
        "max_prompt_tokens": max_prompt_tokens,
        "detokenizer": detokenizer,
        "restarted": False,
    }
    folder = tempfile.mkdtemp(prefix="minisgl-tok-")  # of the sockets between the processes
    heard_at = {"addr": detokenizer_addr, "create": (num_tokenizer == 0) if create is None else create}
    if num_tokenizer:
        heard_at["open_addr"] = f"ipc://{folder}/open"
    children = _detokenizers(entry, common, heard_at, num_tokenizer, num_detokenizer, folder)
    for n in range(num_tokenizer):
        where = {"addr": tokenizer_addr, "create": False, "open_addr": heard_at["open_addr"]}
        own = {**common, **where, "role": "tokenizer", "tokenizer_id": n}
        children.append(Child(f"tokenizer {n}", entry, own))
    launched = Launched(children, folder, restart)
    try:
        launched.start(start_timeout)
    except BaseException:
        launched.stop()
        raise
    return launched


def _detokenizers(
    entry: str, common: dict, heard_at: dict, num_tokenizer: int, num_detokenizer: int, folder: str
) -> list[Child]:
    """The processes that hear the scheduler; with no tokenizers apart they do both directions."""
    kind = "detokenizer" if num_tokenizer else "tokenizer"
    role = "detokenizer" if num_tokenizer else "both"
    if num_detokenizer == 1:
        own = {**common, **heard_at, "role": role, "tokenizer_id": num_tokenizer}
        return [Child(f"{kind} 0", entry, own)]
    addrs = [f"ipc://{folder}/{n}" for n in range(num_detokenizer)]
    children = [Child("forwarder", "minisgl_tok.forward:forward_worker", {**heard_at, "addrs": addrs})]
    for n, addr in enumerate(addrs):
        own = {**common, "addr": addr, "create": True, "role": role, "tokenizer_id": num_tokenizer + n}
        children.append(Child(f"{kind} {n}", entry, own, behind="forwarder"))
    return children


# ------------------------------------------------------------------ the command line


def parser() -> argparse.ArgumentParser:
    """The options of ``python -m minisgl_tok.server``."""
    options = argparse.ArgumentParser(
        prog="python -m minisgl_tok.server",
        description="The tokenizer process of an LLM server, in place of mini-sglang's own.",
    )
    add = options.add_argument
    add("--tokenizer", required=True, help='a built-in name ("qwen3", "toy"), a folder, or a name on the Hub')
    add("--backend-addr", required=True, help="where the scheduler receives (it creates the address)")
    add("--frontend-addr", required=True, help="where the API server receives (it creates the address)")
    add("--detokenizer-addr", "--addr", required=True, help="where messages come to, tokens at least")
    add("--tokenizer-addr", help="where prompts come to; only with --num-tokenizer")
    add("--num-tokenizer", type=int, default=0, help="processes for tokenizing; 0: one for both directions")
    add("--num-detokenizer", type=int, default=1, help="processes for detokenizing")
    add("--local-bs", type=int, default=256, help="about how many messages are handled together")
    add("--max-prompt-tokens", type=int, help="longer prompts are refused; default: what the tokenizer says")
    add(
        "--detokenizer", choices=NAMES, default="exact", help="exact (default), safe, or mini-sglang's window"
    )
    add("--extended", action="store_true", help="extension fields travel: stop reasons, matched stops")
    return options


def main(arguments: list[str] | None = None) -> None:
    """Run the processes until SIGTERM, an interrupt, or their own leaving."""
    options = parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    asked = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: asked.set())
    signal.signal(signal.SIGINT, lambda *_: asked.set())
    names = vars(options)
    names["tokenizer_path"] = names.pop("tokenizer")
    try:
        launched = launch(**names)
    except (RuntimeError, ValueError) as error:
        raise SystemExit(f"python -m minisgl_tok.server: {error}") from None
    with launched:
        logger.info("ready: %s", ", ".join(launched.pids))
        while not asked.wait(0.2) and any(child.start_at != float("inf") for child in launched.children):
            pass
