"""Runs a whole Obsidian program from Python, by ctypes and the CUDA driver:

    obs-translate --obs-to-host-c examples/sum-chunks.mlir -o sum_chunks.c
    cc -shared -fPIC sum_chunks.c -lcuda -o sum_chunks.so
    python3 program.py ./sum_chunks.so

The program is a C function; arrays are structures with a device address.
"""

import array
import ctypes
import sys


class Array(ctypes.Structure):
    """obs_array of the generated file."""
    _fields_ = [("data", ctypes.c_uint64), ("host", ctypes.c_void_p), ("offset", ctypes.c_int64),
                ("sizes", ctypes.c_int64 * 8), ("strides", ctypes.c_int64 * 8)]


def check(status, what):
    if status != 0:
        sys.exit(f"{what}: error {status} of the CUDA driver")


cuda = ctypes.CDLL("libcuda.so.1")
program = ctypes.CDLL(sys.argv[1])
device, context = ctypes.c_int(), ctypes.c_void_p()
check(cuda.cuInit(0), "cuInit")
check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
check(cuda.cuCtxSetCurrent(context), "context")

COUNT, CHUNK = 1000003, 512
numbers = array.array("i", [i * 7919 % 100003 - 50000 for i in range(COUNT)])
data = ctypes.c_uint64()
size = ctypes.c_size_t(4 * COUNT)
check(cuda.cuMemAlloc_v2(ctypes.byref(data), size), "memory")
check(cuda.cuMemcpyHtoD_v2(data, ctypes.c_void_p(numbers.buffer_info()[0]), size), "copy")
given, result = Array(data=data.value), Array()
given.sizes[0], given.strides[0] = COUNT, 1
check(program.obs_main(ctypes.byref(given), ctypes.byref(result)), "obs_main")
got = array.array("i", [0] * result.sizes[0])
check(cuda.cuMemcpyDtoH_v2(ctypes.c_void_p(got.buffer_info()[0]), ctypes.c_uint64(result.data),
                           ctypes.c_size_t(4 * len(got))), "copy")
want = [sum(numbers[i:i + CHUNK]) for i in range(0, COUNT, CHUNK)]
wrong = sum(a != b for a, b in zip(got, want)) + abs(len(got) - len(want))
print(f"{len(got)} sums, {wrong} wrong")
program.obs_free(ctypes.byref(result))
check(cuda.cuMemFree_v2(data), "memory")
check(cuda.cuDevicePrimaryCtxRelease_v2(device), "context")
sys.exit(wrong != 0)
