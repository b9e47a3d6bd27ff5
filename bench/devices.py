"""The libraries of arrays that the reference runs on, and functions on them that take and return numpy's."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

import numpy as np


class Unsupported(Exception):
    """This library has no such arrays, as array_api_strict has none of half precision."""


class Arrays(Protocol):
    """One library on one device."""

    name: str

    @property
    def xp(self) -> ModuleType:
        """Its namespace of functions."""

    def take(self, array: np.ndarray) -> Any:
        """A copy of a numpy array on the device. Raises Unsupported."""

    def give(self, array: Any) -> np.ndarray:
        """Back again, once the device is done with it."""

    def wait(self) -> None:
        """Until the device is done with everything."""


class NumPy:
    name = "numpy"
    xp: ModuleType = np

    def take(self, array: np.ndarray) -> Any:
        return array

    def give(self, array: Any) -> np.ndarray:
        return np.asarray(array)

    def wait(self) -> None:
        pass


class CuPy:
    """The first CUDA device. Raises ImportError where there is no CuPy, RuntimeError where there is no device."""

    name = "cupy"

    def __init__(self) -> None:
        import cupy

        self.xp: ModuleType = cupy
        try:
            cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise RuntimeError(f"CuPy finds no CUDA device: {error}") from error

    def take(self, array: np.ndarray) -> Any:
        return self.xp.asarray(array)

    def give(self, array: Any) -> np.ndarray:
        given: np.ndarray = self.xp.asnumpy(array)  # waits
        return given

    def wait(self) -> None:
        self.xp.cuda.get_current_stream().synchronize()


class Strict:
    """array_api_strict, on its first or its second pretended device: refuses what the standard does not promise."""

    def __init__(self, device: str = "CPU_DEVICE") -> None:
        import array_api_strict

        self.name = f"array_api_strict, {device}"
        self.xp: ModuleType = array_api_strict
        self._device = array_api_strict.Device(device)

    def take(self, array: np.ndarray) -> Any:
        if array.dtype == np.float16:
            raise Unsupported("half precision")
        return self.xp.asarray(np.ascontiguousarray(array), device=self._device)

    def give(self, array: Any) -> np.ndarray:
        if array.device != self._device:
            raise RuntimeError(f"the result came back on another device than the inputs: {array.device}")
        return np.asarray(self.xp.asarray(array, device=self.xp.Device("CPU_DEVICE"))).copy()

    def wait(self) -> None:
        pass


def on(arrays: Arrays, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function of numpy arrays, computed there."""

    def call(*args: Any, **kwargs: Any) -> Any:
        result = function(*map(take, args), **{name: take(value) for name, value in kwargs.items()})
        return tuple(map(arrays.give, result)) if isinstance(result, tuple) else arrays.give(result)

    def take(value: Any) -> Any:
        return arrays.take(value) if isinstance(value, np.ndarray) else value

    return call
