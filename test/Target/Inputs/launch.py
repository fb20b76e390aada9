"""Launches a kernel by its PTX and its launch contract alone.

Usage: launch.py KERNELS.ptx CONTRACT.json

Runs `weave` of launch-by-contract.mlir for several sizes: the result is
x * a + reverse(chunk of a), chunk by chunk, and compares with what Python
computes. Needs the CUDA driver and nothing else.
"""

import ctypes
import json
import struct
import sys

CHUNK = 512


def check(result, what):
    if result:
        sys.exit(f"{what}: CUDA error {result}")


class Device:
    """As much of the driver as one launch needs."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        check(self.cuda.cuInit(0), "cuInit")
        context = ctypes.c_void_p()
        check(self.cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), "context")
        check(self.cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")

    def load(self, ptx, entry):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(self.cuda.cuModuleLoadData(ctypes.byref(module), ptx), "cuModuleLoadData")
        check(self.cuda.cuModuleGetFunction(ctypes.byref(function), module,
                                            entry.encode()), "cuModuleGetFunction")
        return function

    def allocate(self, data):
        pointer = ctypes.c_uint64()
        check(self.cuda.cuMemAlloc_v2(ctypes.byref(pointer),
                                      ctypes.c_size_t(len(data))), "cuMemAlloc")
        check(self.cuda.cuMemcpyHtoD_v2(pointer, data, ctypes.c_size_t(len(data))), "copy")
        return pointer

    def read(self, pointer, size):
        data = ctypes.create_string_buffer(size)
        check(self.cuda.cuMemcpyDtoH_v2(data, pointer, ctypes.c_size_t(size)), "copy back")
        return data.raw

    def launch(self, function, grid, block, shared, values):
        pointers = (ctypes.c_void_p * len(values))(
            *[ctypes.addressof(value) for value in values])
        check(self.cuda.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared,
                                       None, pointers, None), "cuLaunchKernel")
        check(self.cuda.cuCtxSynchronize(), "cuCtxSynchronize")


def main(ptx, contract):
    with open(ptx, "rb") as file:
        text = file.read() + b"\0"
    with open(contract) as file:
        (kernel,) = json.load(file)["kernels"]
    device = Device()
    function = device.load(text, kernel["entry"])
    operators = {"umax": max, "uceildiv": lambda p, q: -(-p // q)}

    for n in (1, 100, 512, 513, 5000, 100000):
        a = [(7 * i) % 1009 - 500 for i in range(n)]
        x = 3
        padded = a + [0] * (-n % CHUNK)
        expected = []
        for start in range(0, len(padded), CHUNK):
            chunk = padded[start:start + CHUNK]
            expected += [x * p + q for p, q in zip(chunk, reversed(chunk))]

        # The values of the parameters, in order, from what the contract says.
        values, extents, result = [], {}, None
        for parameter in kernel["parameters"]:
            if parameter["kind"] == "scalar":
                values.append(ctypes.c_int32(x))
            elif parameter["kind"] == "extent":
                size = {"read": n, "write": len(padded)}[
                    next(p["access"] for p in kernel["parameters"]
                         if p["name"] == parameter["pointer"])]
                extents[parameter["name"]] = size
                values.append(ctypes.c_int64(size))
            elif parameter["access"] == "read":
                values.append(device.allocate(struct.pack(f"<{n}i", *a)))
            else:
                result = device.allocate(bytes(4 * len(padded)))
                values.append(result)
        grid = eval(kernel["grid"], dict(operators), extents)
        device.launch(function, grid, kernel["block"], kernel["sharedBytes"], values)
        found = struct.unpack(f"<{len(padded)}i", device.read(result, 4 * len(padded)))
        if list(found) != expected:
            sys.exit(f"wrong result for {n} elements")
        print(f"{n} elements in {grid} blocks: as expected")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
