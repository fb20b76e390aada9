// Launches one kernel from C++, with its PTX and the data of its launch
// contract:
//
//   obs-translate --obs-to-ptx examples/saxpy.mlir -o saxpy.ptx
//   obs-translate --obs-to-launch-json examples/saxpy.mlir -o saxpy.json
//   c++ kernel.cpp -lcuda -o kernel && ./kernel saxpy.ptx
//
// saxpy.json: parameters k (f32), x, x_extent, y, y_extent, r, r_extent; 256
// threads in a block; ceildiv(max(ceildiv(x_extent, 256), 1), 4) blocks.

#include "check.h"
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <fstream>
#include <sstream>
#include <vector>

int main(int argc, char **argv) {
  std::ifstream file(argc > 1 ? argv[1] : "saxpy.ptx");
  std::stringstream ptx;
  ptx << file.rdbuf();
  if (!file) {
    std::fprintf(stderr, "usage: kernel saxpy.ptx\n");
    return 1;
  }
  CUdevice device;
  CUcontext context;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "context");
  CUmodule module;
  CUfunction saxpy;
  check(cuModuleLoadData(&module, ptx.str().c_str()), "PTX");
  check(cuModuleGetFunction(&saxpy, module, "saxpy"), "saxpy");

  const int64_t count = 1000003;
  std::vector<float> x(count), y(count), result(count);
  for (int64_t i = 0; i < count; ++i) {
    x[i] = static_cast<float>(i % 1024);
    y[i] = static_cast<float>(i % 77);
  }
  size_t bytes = count * sizeof(float);
  CUdeviceptr dx, dy, dr;
  check(cuMemAlloc(&dx, bytes), "memory");
  check(cuMemAlloc(&dy, bytes), "memory");
  check(cuMemAlloc(&dr, bytes), "memory");
  check(cuMemcpyHtoD(dx, x.data(), bytes), "copy");
  check(cuMemcpyHtoD(dy, y.data(), bytes), "copy");

  float k = 2.0f;
  int64_t extent = count;
  void *parameters[] = {&k, &dx, &extent, &dy, &extent, &dr, &extent};
  unsigned blocks = static_cast<unsigned>((count + 1023) / 1024);
  check(cuLaunchKernel(saxpy, blocks, 1, 1, 256, 1, 1, 0, nullptr, parameters,
                       nullptr),
        "launch");
  check(cuMemcpyDtoH(result.data(), dr, bytes), "copy");
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i)
    wrong += result[i] != 2.0f * x[i] + y[i];
  std::printf("%lld elements, %lld wrong\n", static_cast<long long>(count),
              static_cast<long long>(wrong));
  cuMemFree(dx);
  cuMemFree(dy);
  cuMemFree(dr);
  cuModuleUnload(module);
  cuDevicePrimaryCtxRelease(device);
  return wrong != 0;
}
