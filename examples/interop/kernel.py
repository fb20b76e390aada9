"""Launches one kernel from Python, by ctypes and the CUDA driver, with the data of its launch contract:

    obs-translate --obs-to-ptx examples/saxpy.mlir -o saxpy.ptx
    obs-translate --obs-to-launch-json examples/saxpy.mlir -o saxpy.json
    python3 kernel.py saxpy.ptx saxpy.json

The kernel may also be machine code from --obs-to-cubin.
"""

import array
import ctypes
import json
import sys


def check(status, what):
    if status != 0:
        sys.exit(f"{what}: error {status} of the CUDA driver")


kernel = json.load(open(sys.argv[2]))["kernels"][0]
image = open(sys.argv[1], "rb").read() + b"\0"
cuda = ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
module, function = ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cuInit(0), "cuInit")
check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
check(cuda.cuCtxSetCurrent(context), "context")
check(cuda.cuModuleLoadData(ctypes.byref(module), image), "code")
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, kernel["entry"].encode()), "kernel")

COUNT, K = 1000003, 2.0
x = array.array("f", [i % 1024 for i in range(COUNT)])
y = array.array("f", [i % 77 for i in range(COUNT)])
result = array.array("f", bytes(4 * COUNT))

# One value for each parameter: the arrays in order, each with its extent, and the number.
arrays, parameters, extents, memory = [x, y, result], [], {}, []
for parameter in kernel["parameters"]:
    if parameter["kind"] == "pointer":
        data, host = ctypes.c_uint64(), arrays[len(memory)]
        size = ctypes.c_size_t(4 * len(host))
        check(cuda.cuMemAlloc_v2(ctypes.byref(data), size), "memory")
        check(cuda.cuMemcpyHtoD_v2(data, ctypes.c_void_p(host.buffer_info()[0]), size), "copy")
        memory.append(data)
        parameters.append(data)
    elif parameter["kind"] == "extent":
        extents[parameter["name"]] = COUNT
        parameters.append(ctypes.c_int64(COUNT))
    else:
        parameters.append(ctypes.c_float(K))
words = (ctypes.c_void_p * len(parameters))(*[ctypes.addressof(p) for p in parameters])

# The number of blocks is a formula of the parameters. Of the functions in docs/Interop.md, it uses only these.
blocks = eval(kernel["grid"], {"uceildiv": lambda a, b: -(-a // b), "umax": max, "umin": min, **extents})
check(cuda.cuLaunchKernel(function, blocks, 1, 1, kernel["block"], 1, 1, kernel["sharedBytes"], None, words, None),
      "launch")
check(cuda.cuMemcpyDtoH_v2(ctypes.c_void_p(result.buffer_info()[0]), memory[2], ctypes.c_size_t(4 * COUNT)), "copy")
wrong = sum(r != K * a + b for r, a, b in zip(result, x, y))
print(f"{COUNT} elements in {blocks} blocks, {wrong} wrong")
for data in memory:
    check(cuda.cuMemFree_v2(data), "memory")
check(cuda.cuModuleUnload(module), "code")
check(cuda.cuDevicePrimaryCtxRelease_v2(device), "context")
sys.exit(wrong != 0)
