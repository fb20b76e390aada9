"""The C files of obs-translate as shared libraries, called with NumPy arrays on an NVIDIA GPU.

In: the path of a library that was compiled from `obs-translate --obs-to-host-c`. Errors of the driver are
exceptions.
"""

import ctypes

import numpy as np


class Array(ctypes.Structure):
    """obs_array of the generated C files."""
    _fields_ = [("data", ctypes.c_uint64), ("host", ctypes.c_void_p), ("offset", ctypes.c_int64),
                ("sizes", ctypes.c_int64 * 8), ("strides", ctypes.c_int64 * 8)]


class Library:
    """A program as a shared library, called with NumPy arrays."""

    def __init__(self, path):
        self.cuda = ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
        self.program = ctypes.CDLL(str(path))
        self.program.obs_free.restype = None
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.good(self.cuda.cuInit(0), "cuInit")
        self.good(self.cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
        self.good(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
        self.good(self.cuda.cuCtxSetCurrent(context), "context")

    @staticmethod
    def good(status, what):
        if status:
            raise RuntimeError(f"{what}: error {status} of the CUDA driver")

    def upload(self, a):
        a = np.ascontiguousarray(a)
        given = Array()
        given.sizes[:a.ndim] = a.shape
        given.strides[:a.ndim] = [s // a.itemsize for s in a.strides]
        if a.nbytes:
            data = ctypes.c_uint64()
            self.good(self.cuda.cuMemAlloc_v2(ctypes.byref(data), ctypes.c_size_t(a.nbytes)), "memory")
            given.data = data.value
            self.good(self.cuda.cuMemcpyHtoD_v2(data, ctypes.c_void_p(a.ctypes.data), ctypes.c_size_t(a.nbytes)),
                      "copy")
        return given

    def release(self, given):
        if given.data:
            self.good(self.cuda.cuMemFree_v2(ctypes.c_uint64(given.data)), "memory")

    def call(self, entry, arguments, expected):
        """Results of a function for uploaded arrays and ints, with the types and ranks of `expected`."""
        results = [Array() for _ in expected]
        words = [ctypes.byref(a) if isinstance(a, Array) else ctypes.c_int64(a) for a in arguments]
        self.good(getattr(self.program, "obs_" + entry)(*words, *map(ctypes.byref, results)), entry)
        found = []
        for result, like in zip(results, expected):
            a = np.empty(tuple(result.sizes[:like.ndim]), like.dtype)
            if a.nbytes:
                place = ctypes.c_uint64(result.data + result.offset * a.itemsize)
                self.good(self.cuda.cuMemcpyDtoH_v2(ctypes.c_void_p(a.ctypes.data), place, ctypes.c_size_t(a.nbytes)),
                          "copy")
            found.append(a)
            self.program.obs_free(ctypes.byref(result))
        return found
