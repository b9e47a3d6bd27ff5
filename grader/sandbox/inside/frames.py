"""How judge and child talk: call frames one way, reply frames the other, over two pipes.

A call is a fixed header, a short JSON description of the arguments, and the arrays' raw bytes. The judge is
trusted by the child, so JSON will do. A reply comes from hostile code: a fixed header of numbers, each checked
by the receiver before anything is allocated, then raw bytes. Nothing is ever unpickled.

This module is read by both ends and holds no waiting: see `child.py` for the child's end and
`grader.sandbox.peer` for the judge's.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

MAGIC = b"SOF1"
CALL = struct.Struct("<4sQI")  # magic, call id, bytes of JSON that follow
# magic, call id, kind, dtype, ndim, has digest, shape, payload bytes, digest
REPLY = struct.Struct("<4sQBBBB8QQ16s")
MAX_NDIM = 8
DIGEST_BYTES = 16
TEXT_CAP = 32_768  # bytes; room for the 2,000 characters of an exception, each up to 12 bytes in JSON

DTYPES = ("<f4", "<f8", "<f2", "<i4", "<i8", "|b1", "|u1", "|i1", "<i2", "<u2", "<u4", "<u8", "<c8", "<c16")


class Kind(IntEnum):
    """What a reply holds."""

    READY = 1  # the submission is loaded and defines the function
    ARRAY = 2
    OTHER = 3  # the call returned something that is no plain array; the text says what
    ERROR = 4  # the call, or loading, raised; the text is JSON: see `child.describe_error`
    TUPLE = 5  # as many replies follow as `ndim` says, each an ARRAY or OTHER of the same call


@dataclass(frozen=True)
class ReplyHeader:
    """The numbers of a reply, as sent: not yet to be believed."""

    magic: bytes
    call_id: int
    kind: int
    dtype_code: int
    ndim: int
    has_digest: bool
    lengths: tuple[int, ...]
    payload_bytes: int
    digest: bytes

    @classmethod
    def unpack(cls, raw: bytes | bytearray) -> ReplyHeader:
        magic, call_id, kind, code, ndim, has_digest, *lengths, payload_bytes, digest = REPLY.unpack(raw)
        return cls(magic, call_id, kind, code, ndim, bool(has_digest), tuple(lengths), payload_bytes, digest)


def pack_reply(
    call_id: int,
    kind: Kind,
    *,
    dtype: str = DTYPES[0],
    shape: Sequence[int] = (),
    ndim: int | None = None,
    payload_bytes: int,
    digest: bytes | None = None,
) -> bytes:
    """`ndim`: of a TUPLE, how many replies follow; else the length of the shape."""
    lengths = (*shape, *[0] * (MAX_NDIM - len(shape)))
    ndim = len(shape) if ndim is None else ndim
    return REPLY.pack(
        MAGIC, call_id, kind, DTYPES.index(dtype), ndim, digest is not None, *lengths, payload_bytes,
        digest or bytes(DIGEST_BYTES),
    )  # fmt: skip


def pack_call(
    call_id: int, args: Sequence[Any], kwargs: Mapping[str, Any], *, digest: bool, counts: range = range(0)
) -> list[memoryview]:
    """The parts of a call frame, to be written one after another. Raises TypeError for an argument it cannot carry.

    counts: how many arrays a returned tuple may hold to come as a TUPLE.
    """
    arrays: list[memoryview] = []

    def describe(value: Any) -> dict[str, Any]:
        if isinstance(value, np.ndarray):
            plain = np.ascontiguousarray(value)
            arrays.append(memoryview(plain.reshape(-1).view(np.uint8)))
            DTYPES.index(plain.dtype.str)
            return {
                "dtype": plain.dtype.str,
                "shape": value.shape,
                "layout": layout(value),
                "writable": value.flags.writeable,
            }
        if value is None or type(value) in (bool, int, float, str):
            return {"value": value}
        raise TypeError(f"an argument of type {type(value).__name__} cannot be sent to a submission")

    head = json.dumps(
        {
            "counts": [counts.start, counts.stop],
            "args": [describe(value) for value in args],
            "kwargs": {name: describe(value) for name, value in kwargs.items()},
            "digest": digest,
        }
    ).encode()
    return [memoryview(CALL.pack(MAGIC, call_id, len(head)) + head), *[a for a in arrays if len(a)]]


def layout(array: np.ndarray) -> str:
    """ "C", "F" or "strided": how the child is to lay its copy out in memory."""
    if array.flags.c_contiguous:
        return "C"
    return "F" if array.flags.f_contiguous else "strided"


def lay_out(raw: bytearray, spec: Mapping[str, Any]) -> np.ndarray:
    """An array as the call described it; `raw` holds its elements in C order."""
    array = np.frombuffer(raw, dtype=spec["dtype"]).reshape(spec["shape"])
    if spec["layout"] == "F":
        array = np.asfortranarray(array)
    elif spec["layout"] == "strided":
        array = widened(array)[..., ::2]
    array.flags.writeable = spec["writable"]
    return array


def widened(array: np.ndarray) -> np.ndarray:
    """Every other element along the last axis is the array's; their neighbours a careless reader would pick up."""
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    return wide


def payload_bytes(spec: Mapping[str, Any]) -> int:
    """Bytes that follow the call's JSON for one array argument."""
    size = np.dtype(spec["dtype"]).itemsize
    for length in spec["shape"]:
        size *= length
    return int(size)
