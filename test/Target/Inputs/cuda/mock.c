/* A driver of CUDA without a GPU: device memory is memory of the host, kernels
 * do nothing. It prints what is launched and allocated, and fails where memory
 * is not freed, or freed twice. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int live, allocations, waits, reads;
static const char *kernels[64];
static int kernel_count;

CUresult cuMemAlloc(CUdeviceptr *data, size_t bytes) {
  if (bytes >= (size_t)1 << 40) {
    printf("driver: %zu bytes\n", bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *data = (CUdeviceptr)(size_t)calloc(1, bytes);
  ++live, ++allocations;
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr data) {
  free((void *)(size_t)data);
  --live;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  memcpy((void *)(size_t)to, from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  memcpy(to, (void *)(size_t)from, bytes);
  ++reads;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  (void)stream;
  printf("copy %d bytes\n", (int)bytes);
  memcpy((void *)(size_t)to, (void *)(size_t)from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  (void)stream;
  memset((void *)(size_t)to, value, count);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  (void)stream;
  for (size_t i = 0; i < count; ++i)
    ((unsigned short *)(size_t)to)[i] = value;
  return CUDA_SUCCESS;
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  (void)stream;
  for (size_t i = 0; i < count; ++i)
    ((unsigned *)(size_t)to)[i] = value;
  return CUDA_SUCCESS;
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream) {
  for (size_t i = 0; i < height; ++i)
    cuMemsetD32Async(to + i * pitch, value, width, stream);
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule *module, const void *text) {
  (void)text;
  *module = (CUmodule)&live;
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  (void)module;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  (void)module;
  kernels[kernel_count % 64] = name;
  *function = (CUfunction)&kernels[kernel_count++ % 64];
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute what,
                            int value) {
  (void)function, (void)what, (void)value;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z,
                        unsigned threads, unsigned ty, unsigned tz,
                        unsigned shared, CUstream stream, void **parameters,
                        void **extra) {
  (void)y, (void)z, (void)threads, (void)ty, (void)tz, (void)shared;
  (void)stream, (void)parameters, (void)extra;
  printf("launch %s on %u blocks\n", *(const char **)function, x);
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  if (config->numAttrs != 1 ||
      config->attrs->id !=
          CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION ||
      config->attrs->value.programmaticStreamSerializationAllowed != 1)
    return CUDA_ERROR_INVALID_VALUE;
  printf("early ");
  return cuLaunchKernel(function, config->gridDimX, config->gridDimY,
                        config->gridDimZ, config->blockDimX, config->blockDimY,
                        config->blockDimZ, config->sharedMemBytes,
                        config->hStream, parameters, extra);
}
CUresult cuStreamSynchronize(CUstream stream) {
  (void)stream;
  ++waits;
  return CUDA_SUCCESS;
}

/* Prints how often memory was allocated since the last call, and how much of it
 * is not free. */
void mock_report(const char *what) {
  printf("%s: %d allocations, %d live\n", what, allocations, live);
  allocations = 0;
}

/* Prints how often the host has waited since the last call, and how often it
 * has read device memory. */
void mock_waits(const char *what) {
  printf("%s: %d waits, %d reads\n", what, waits, reads);
  waits = reads = 0;
}
