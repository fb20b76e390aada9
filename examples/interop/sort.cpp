// Runs a whole program of many kernels from C++. The program is the large
// sorter, translated by
//
//   obs-translate --obs-to-host-c examples/large-sort.mlir -o large_sort.c
//   cc -c large_sort.c -o large_sort.o
//   c++ sort.cpp large_sort.o -lcuda -o sort && ./sort
//
// This needs only the CUDA driver and its header.

#include "check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <vector>

// As in the generated file.
struct obs_array {
  CUdeviceptr data;
  void *host;
  int64_t offset, sizes[8], strides[8];
};
extern "C" CUresult obs_main(const obs_array *numbers, obs_array *result);
extern "C" void obs_free(obs_array *array);

int main() {
  CUdevice device;
  CUcontext context;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "context");

  // Not a power of two, so the program pads the array.
  std::vector<int32_t> numbers(1000003), got(numbers.size());
  uint32_t state = 1;
  for (int32_t &number : numbers)
    number = static_cast<int32_t>(state = state * 1664525u + 1013904223u);
  size_t bytes = numbers.size() * sizeof(int32_t);
  obs_array input{}, result{};
  input.sizes[0] = static_cast<int64_t>(numbers.size());
  input.strides[0] = 1;
  check(cuMemAlloc(&input.data, bytes), "memory");
  check(cuMemcpyHtoD(input.data, numbers.data(), bytes), "copy");
  check(obs_main(&input, &result), "obs_main");
  bool fits = result.sizes[0] == input.sizes[0];
  if (fits)
    check(cuMemcpyDtoH(got.data(), result.data, bytes), "copy");
  obs_free(&result);
  check(cuMemFree(input.data), "memory");
  check(cuDevicePrimaryCtxRelease(device), "context");

  std::sort(numbers.begin(), numbers.end());
  bool good = fits && got == numbers;
  std::printf("%zu numbers, %s\n", numbers.size(), good ? "sorted" : "wrong");
  return good ? 0 : 1;
}
