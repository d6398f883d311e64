"""The tokenizer process of an LLM server: text to tokens, and tokens back to text as they arrive."""

from typing import TYPE_CHECKING, Any

from .detokenize import DecodeStatus, DetokenizeManager, find_printable_text
from .exact import ExactDetokenizeManager
from .messages import DetokenizeMsg, SamplingParams, TokenizeMsg, UserReply
from .naive import WholeDetokenizer
from .safe import SafeDetokenizeManager
from .stop import StopStrings
from .tokenize import TokenizeManager
from .vocab import UnsupportedTokenizer, load_tokenizer, token_bytes

if TYPE_CHECKING:
    from .launching import launch
    from .server import tokenize_worker

__all__ = [
    "DecodeStatus",
    "DetokenizeManager",
    "DetokenizeMsg",
    "ExactDetokenizeManager",
    "SafeDetokenizeManager",
    "SamplingParams",
    "StopStrings",
    "TokenizeManager",
    "TokenizeMsg",
    "UnsupportedTokenizer",
    "UserReply",
    "WholeDetokenizer",
    "find_printable_text",
    "launch",
    "load_tokenizer",
    "token_bytes",
    "tokenize_worker",
]

_PROCESSES = {"launch": "launching", "tokenize_worker": "server"}  # these load ZeroMQ, so only on request


def __getattr__(name: str) -> Any:
    if name not in _PROCESSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f".{_PROCESSES[name]}", __name__), name)
