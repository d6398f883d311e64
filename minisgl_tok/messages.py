"""What travels between the processes, in mini-sglang's own wire format.

A message is a MessagePack map whose key ``__type__`` names its class. Three directions
have messages of their own: to the tokenizer, to the scheduler ("backend") and to the API
server ("frontend"). `encode` and `decode` are all that a socket needs.

>>> encode(AbortMsg(uid=4)).hex()
'82a85f5f747970655f5fa841626f72744d7367a375696404'
>>> decode(encode(AbortMsg(uid=4)))
AbortMsg(uid=4)

Fields typed ``X | UnsetType`` are extensions. Unset they are not on the wire at all, so
plain traffic stays byte for byte what mini-sglang writes; its decoders refuse a field they
do not know, so an extension is only set where both ends asked for it.

Source: mini-sglang, ``minisgl/message`` (class names, field names and their order).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Union

import msgspec
from msgspec import UNSET, UnsetType

if TYPE_CHECKING:
    import torch

# Bytes of one element, by the dtype's name on the wire.
ITEM_BYTES = {
    "torch.bool": 1,
    "torch.uint8": 1,
    "torch.int8": 1,
    "torch.int16": 2,
    "torch.float16": 2,
    "torch.bfloat16": 2,
    "torch.int32": 4,
    "torch.float32": 4,
    "torch.int64": 8,
    "torch.float64": 8,
}


class Struct(msgspec.Struct, tag_field="__type__", tag=True, forbid_unknown_fields=True):
    """A message or a part of one; its class name travels as ``__type__``.

    With ``gc=False`` a message holds no containers, so it can be in no cycle, and the
    garbage collector need not look at thousands of them a second.
    """


class SamplingParams(Struct):
    """How the scheduler shall choose tokens, and when it shall stop."""

    temperature: float = 0.0
    top_k: int = -1  # -1: no limit
    top_p: float = 1.0
    ignore_eos: bool = False
    max_tokens: int = 1024
    stop: list[str] | UnsetType = UNSET  # extension: end where one of these strings appears


class Tensor(Struct):
    """A 1-D tensor as raw bytes, so that decoding a message needs no torch.

    Raises ValueError where the dtype is unknown or the buffer is no whole number of elements.

    >>> Tensor(buffer=b"\\x05\\x00\\x00\\x00", dtype="torch.int32").tolist()
    [5]
    """

    buffer: bytes
    dtype: str

    def __post_init__(self) -> None:
        size = ITEM_BYTES.get(self.dtype)
        if size is None:
            raise ValueError(f"tensor dtype {self.dtype!r} is none of {', '.join(ITEM_BYTES)}")
        if len(self.buffer) % size:
            raise ValueError(
                f"tensor buffer of {len(self.buffer)} bytes holds no whole number of"
                f" {self.dtype} elements ({size} bytes each)"
            )

    @classmethod
    def of(cls, tensor: torch.Tensor) -> Tensor:
        """The wire form of a 1-D tensor. Raises ValueError for any other shape."""
        if tensor.dim() != 1:
            raise ValueError(f"only 1-D tensors travel; this one has the shape {tuple(tensor.shape)}")
        return cls(buffer=tensor.contiguous().numpy().tobytes(), dtype=str(tensor.dtype))

    def torch(self) -> torch.Tensor:
        """The tensor itself, 1-D, in memory of its own."""
        import torch

        dtype = getattr(torch, self.dtype.removeprefix("torch."))
        if not self.buffer:  # frombuffer refuses an empty buffer
            return torch.empty(0, dtype=dtype)
        return torch.frombuffer(bytearray(self.buffer), dtype=dtype)

    def tolist(self) -> list[Any]:
        """The elements as Python numbers."""
        return self.torch().tolist()


# ------------------------------------------------------------------ to the tokenizer


class TokenizeMsg(Struct):
    """API server → tokenizer: a prompt as text, or a chat as a list of messages."""

    uid: int
    text: str | list[dict[str, Any]]
    sampling_params: SamplingParams
    template_options: dict[str, Any] | UnsetType = UNSET  # extension: for the chat template


class DetokenizeMsg(Struct, gc=False):
    """Scheduler → tokenizer: the next token of a request; `finished` with its last one."""

    uid: int
    next_token: int
    finished: bool


class AbortMsg(Struct, gc=False):
    """API server → tokenizer: nobody waits for this request any more."""

    uid: int


class OpenMsg(Struct):
    """Tokenizer → detokenizer, an extension: a request starts, and these are its wishes.

    Needed only where tokenizing has processes of its own: there the detokenizer never sees
    a TokenizeMsg, so somebody must tell it of stop strings before the first token comes.
    """

    uid: int
    stop: list[str] = []
    ignore_eos: bool = False


class BatchTokenizerMsg(Struct):
    """Several messages to the tokenizer in one frame."""

    data: list[TokenizeMsg | DetokenizeMsg | AbortMsg | OpenMsg]


# ------------------------------------------------------------------ to the scheduler


class UserMsg(Struct):
    """Tokenizer → scheduler: a request as token ids (1-D int32)."""

    uid: int
    input_ids: Tensor
    sampling_params: SamplingParams


class AbortBackendMsg(Struct, gc=False):
    """Tokenizer → scheduler: stop computing for this request."""

    uid: int


class ExitMsg(Struct):
    """Finish what has arrived, then leave."""


class BatchBackendMsg(Struct):
    """Several messages to the scheduler in one frame."""

    data: list[UserMsg | AbortBackendMsg | ExitMsg]


# ------------------------------------------------------------------ to the API server


class UserReply(Struct, gc=False):
    """Tokenizer → API server: the new text of a request; `finished` with its last one."""

    uid: int
    incremental_output: str
    finished: bool
    finish_reason: str | UnsetType = UNSET  # extension: "stop", "length", "abort" or "error"
    matched_stop: str | UnsetType = UNSET  # extension: the stop string that ended it


class BatchFrontendMsg(Struct):
    """Several messages to the API server in one frame."""

    data: list[UserReply]


TokenizerMsg = Union[TokenizeMsg, DetokenizeMsg, AbortMsg, OpenMsg]
BackendMsg = Union[UserMsg, AbortBackendMsg, ExitMsg]
FrontendMsg = UserReply
Message = Union[TokenizerMsg, BatchTokenizerMsg, BackendMsg, BatchBackendMsg, FrontendMsg, BatchFrontendMsg]

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Message)


def encode(msg: Message) -> bytes:
    """A message as one frame. Raises ValueError where a text cannot be UTF-8 (a lone surrogate)."""
    return _encoder.encode(msg)


def decode(frame: bytes) -> Message:
    """The message in a frame.

    Raises ValueError, which names what is wrong, on anything that is no message: an unknown
    ``__type__``, a missing, unknown or wrongly typed field, bytes that are no MessagePack.
    """
    try:
        return _decoder.decode(frame)
    except RecursionError:
        raise ValueError("no message: its maps and lists are nested too deeply") from None


# ------------------------------------------------------------------ frames that are no message


class Fault(NamedTuple):
    """A part of a frame that is no message, and what of it could be read all the same."""

    reason: str
    uid: int | None  # the request that it speaks of
    kind: str  # its ``__type__``, or ""
    part: bytes  # the part as it came


class _Envelope(msgspec.Struct):
    data: list[msgspec.Raw]


class _Who(msgspec.Struct):
    uid: int
    kind: str = msgspec.field(default="", name="__type__")


_envelopes = msgspec.msgpack.Decoder(_Envelope)
_whos = msgspec.msgpack.Decoder(_Who)


def salvage(frame: bytes) -> tuple[list[Message], list[Fault]]:
    """What is good in a frame that `decode` refuses, and its faults.

    One bad message in a batch does not cost the others, and a message with one bad field
    still says whose request it spoils.

    >>> _, [fault] = salvage(encode(AbortMsg(4)).replace(b"AbortMsg", b"AboutMsg"))
    >>> fault.reason, fault.uid, fault.kind
    ("Invalid value 'AboutMsg' - at `$.__type__`", 4, 'AboutMsg')
    """
    try:
        parts = [bytes(part) for part in _envelopes.decode(frame).data]
    except (ValueError, RecursionError):
        parts = [frame]
    good: list[Message] = []
    faults: list[Fault] = []
    for part in parts:
        try:
            msg = decode(part)
            if isinstance(msg, (BatchTokenizerMsg, BatchBackendMsg, BatchFrontendMsg)):
                raise ValueError("a batch stands inside a batch")
            good.append(msg)
        except ValueError as error:
            faults.append(_fault(part, str(error)))
    return good, faults


def _fault(part: bytes, reason: str) -> Fault:
    try:
        who = _whos.decode(part)
    except (ValueError, RecursionError):
        return Fault(reason, None, "", part)
    return Fault(reason, who.uid, who.kind, part)
