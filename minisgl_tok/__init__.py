"""The tokenizer process of an LLM server: text to tokens, and tokens back to text as they arrive."""

from .detokenize import DecodeStatus, DetokenizeManager, find_printable_text
from .exact import ExactDetokenizeManager
from .messages import DetokenizeMsg, SamplingParams, TokenizeMsg, UserReply
from .naive import WholeDetokenizer
from .safe import SafeDetokenizeManager
from .stop import StopStrings
from .tokenize import TokenizeManager
from .vocab import UnsupportedTokenizer, load_tokenizer, token_bytes

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
    "load_tokenizer",
    "token_bytes",
]
