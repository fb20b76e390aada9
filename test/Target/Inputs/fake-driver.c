/* As much of the CUDA driver as examples/interop/plan.py needs for rounds.mlir, in the memory of the host. Kernel
 * `round` is done here as its contract says: (numbers, extent, iteration, from, extent, to, extent). */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int arrays, launches;
static const char *image;

int cuInit(unsigned flags) { return flags; }
int cuDeviceGet(int *device, int number) {
  *device = number;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &arrays;
  return device;
}
int cuCtxSetCurrent(void *context) { return context != &arrays; }
int cuCtxSynchronize(void) { return 0; }
int cuGetErrorString(int status, const char **text) {
  *text = status == 2 ? "no memory" : "refused";
  return 0;
}
int cuModuleLoadData(void **module, const char *text) {
  image = strdup(text);
  *module = &image;
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  char entry[64];
  snprintf(entry, sizeof(entry), ".entry %s(", name);
  *function = &launches;
  return module != &image || !strstr(image, entry) || strcmp(name, "round");
}
int cuMemAlloc_v2(uint64_t *data, size_t bytes) {
  if (bytes > 1000000)
    return 2;
  *data = (uintptr_t)calloc(1, bytes);
  ++arrays;
  return 0;
}
int cuMemFree_v2(uint64_t data) {
  free((void *)(uintptr_t)data);
  --arrays;
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return 0;
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned threads_y,
                   unsigned threads_z, unsigned shared, void *stream, void **parameters, void **extra) {
  int64_t n = *(int64_t *)parameters[1], k = *(int64_t *)parameters[2];
  const int32_t *from = *(int32_t **)parameters[3];
  int32_t *to = *(int32_t **)parameters[5];
  ++launches;
  if (function != &launches || x != (n + 1023) / 1024 || y != 1 || z != 1 || threads != 256 || threads_y != 1 ||
      threads_z != 1 || shared || stream || extra || from == to || *(int64_t *)parameters[4] != n ||
      *(int64_t *)parameters[6] != n)
    return 1;
  for (int64_t i = 0; i < n; ++i) {
    int up = (i + k) % 2 == 0;
    int64_t other = up ? i + 1 : i - 1;
    to[i] = from[i];
    if (other >= 0 && other < n && (from[other] < from[i]) == up)
      to[i] = from[other];
  }
  return 0;
}

__attribute__((destructor)) static void report(void) {
  fprintf(stderr, "driver: %d launches, %d arrays left\n", launches, arrays);
}
