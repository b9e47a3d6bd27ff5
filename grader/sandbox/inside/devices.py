"""The libraries of arrays that a submission may be given: numpy, CuPy on a GPU, array_api_strict on a pretended one.

A submission's process has one of them. Whatever comes and goes by its channel is numpy's; what a call is given and
returns lies on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from . import CUPY, STRICT, frames

PRETENDED = "device1"  # what array_api_strict calls the second of its devices


class Unsupported(Exception):
    """This library has no such arrays, as array_api_strict has none of half precision."""


class NoDevice(Exception):
    """The library or its device is not there; says why."""


class Arrays(Protocol):
    """One library on one device; `name` says which, for people."""

    name: str

    @property
    def xp(self) -> ModuleType:
        """Its namespace of functions."""

    def take(self, array: np.ndarray) -> Any:
        """A copy of a numpy array on the device. Raises Unsupported."""

    def lay_out(self, raw: bytearray, spec: Mapping[str, Any]) -> Any:
        """An array as a call described it, on the device: see `frames.lay_out`. Only numpy's can be read-only."""

    def give(self, value: object) -> np.ndarray | None:
        """An array of the device as numpy's, once the device is done with it; None for everything else."""

    def allow(self, memory_bytes: int) -> None:
        """The most that the library may take of the device's memory. Whoever wants to can get around it."""

    def works(self) -> bool:
        """Whether the device can go on, once it is done with everything: after some errors it cannot."""


class NumPy:
    name = "numpy"
    xp: ModuleType = np

    def take(self, array: np.ndarray) -> Any:
        return array

    def lay_out(self, raw: bytearray, spec: Mapping[str, Any]) -> Any:
        return frames.lay_out(raw, spec)

    def give(self, value: object) -> np.ndarray | None:
        return value if type(value) is np.ndarray else None

    def allow(self, memory_bytes: int) -> None:
        pass

    def works(self) -> bool:
        return True


class CuPy:
    """The first CUDA device. Raises NoDevice."""

    def __init__(self) -> None:
        try:
            import cupy
        except Exception as error:  # it looks for libraries and folders while it is imported
            raise NoDevice(f"CuPy cannot be imported: {error}") from error
        self.xp: ModuleType = cupy
        try:
            model = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        except Exception as error:  # CuPy's own kinds of error, and those of the libraries that it looks for
            raise NoDevice(f"CuPy finds no CUDA device: {error}") from error
        self.name = f"cupy {cupy.__version__}, {model}"

    def take(self, array: np.ndarray) -> Any:
        return self.xp.asarray(array)

    def lay_out(self, raw: bytearray, spec: Mapping[str, Any]) -> Any:
        return _lay_out(self.take, lambda array: array.transpose(), raw, spec)

    def give(self, value: object) -> np.ndarray | None:
        if type(value) is not self.xp.ndarray:
            return None
        given: np.ndarray = self.xp.asnumpy(value)  # waits
        return given

    def allow(self, memory_bytes: int) -> None:
        self.xp.get_default_memory_pool().set_limit(size=memory_bytes)

    def works(self) -> bool:
        try:
            self.xp.cuda.runtime.deviceSynchronize()
        except Exception:
            return False
        return True


class Strict:
    """array_api_strict, on its first or its second pretended device: refuses what the standard does not promise.

    Raises NoDevice where it is not installed.
    """

    def __init__(self, device: str = "CPU_DEVICE") -> None:
        try:
            import array_api_strict
        except ImportError as error:
            raise NoDevice(f"array_api_strict cannot be imported: {error}") from error
        self.name = f"array_api_strict {array_api_strict.__version__}, {device}"
        self.xp: ModuleType = array_api_strict
        self._device = array_api_strict.Device(device)

    def take(self, array: np.ndarray) -> Any:
        if array.dtype == np.float16:
            raise Unsupported("half precision")
        return self.xp.asarray(np.ascontiguousarray(array), device=self._device)

    def lay_out(self, raw: bytearray, spec: Mapping[str, Any]) -> Any:
        return _lay_out(self.take, self._transpose, raw, spec)

    def _transpose(self, array: Any) -> Any:
        return self.xp.permute_dims(array, tuple(reversed(range(array.ndim))))

    def give(self, value: object) -> np.ndarray | None:
        if (
            type(value).__module__.partition(".")[0] != STRICT
            or getattr(value, "device", None) != self._device
        ):
            return None
        here = self.xp.asarray(value, device=self.xp.Device("CPU_DEVICE"))
        return np.asarray(here).copy()

    def allow(self, memory_bytes: int) -> None:
        pass

    def works(self) -> bool:
        return True


def _lay_out(
    take: Callable[[np.ndarray], Any],
    transpose: Callable[[Any], Any],
    raw: bytearray,
    spec: Mapping[str, Any],
) -> Any:
    array = np.frombuffer(raw, dtype=spec["dtype"]).reshape(spec["shape"])
    if spec["layout"] == "F":
        return transpose(take(np.ascontiguousarray(array.T)))
    if spec["layout"] == "strided":
        return take(frames.widened(array))[..., ::2]
    return take(array)


def open_arrays(library: str) -> Arrays:
    """By the name of the library: NUMPY, CUPY or STRICT. Raises NoDevice."""
    if library == CUPY:
        return CuPy()
    return Strict(PRETENDED) if library == STRICT else NumPy()


def try_out(arrays: Arrays) -> None:
    """A little of all that a submission needs of the device. Raises NoDevice."""
    try:
        square = arrays.take(np.ones((16, 16), np.float32))
        answer = arrays.give(arrays.xp.exp(arrays.xp.matmul(square, square) - 16))
    except Exception as error:
        raise NoDevice(f"a first calculation on {arrays.name} failed: {error}") from error
    if answer is None or not np.all(answer == 1):
        raise NoDevice(f"a first calculation on {arrays.name} came out wrong")


def on(arrays: Arrays, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function of numpy arrays, computed there. Raises TypeError where its result is not there."""

    def call(*args: Any, **kwargs: Any) -> Any:
        result = function(*map(take, args), **{name: take(value) for name, value in kwargs.items()})
        return tuple(map(give, result)) if isinstance(result, tuple) else give(result)

    def take(value: Any) -> Any:
        return arrays.take(value) if isinstance(value, np.ndarray) else value

    def give(value: Any) -> np.ndarray:
        given = arrays.give(value)
        if given is None:
            raise TypeError(f"the result is a {type(value).__name__}, which is no array on {arrays.name}")
        return given

    return call
