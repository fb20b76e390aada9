/* Runs a whole Obsidian program from C. The program is sum-chunks.mlir,
 * translated by
 *
 *   obs-translate --obs-to-host-c examples/sum-chunks.mlir -o sum_chunks.c
 *   cc program.c -lcuda -o program && ./program
 *
 * This needs only the CUDA driver and its header. */

#include "sum_chunks.c"

static int fail(const char *what, CUresult status) {
  const char *text = "";
  cuGetErrorString(status, &text);
  fprintf(stderr, "%s: %s\n", what, text);
  return 1;
}

int main(void) {
  enum { count = 1000003, chunk = 512, sums = (count + chunk - 1) / chunk };
  CUdevice device;
  CUcontext context;
  CUresult status = cuInit(0);
  if (status == CUDA_SUCCESS)
    status = cuDeviceGet(&device, 0);
  if (status == CUDA_SUCCESS)
    status = cuDevicePrimaryCtxRetain(&context, device);
  if (status == CUDA_SUCCESS)
    status = cuCtxSetCurrent(context);
  if (status != CUDA_SUCCESS)
    return fail("no GPU", status);

  int32_t *numbers = malloc(count * sizeof(int32_t));
  int32_t *want = calloc(sums, sizeof(int32_t));
  int32_t *got = malloc(sums * sizeof(int32_t));
  for (int i = 0; i < count; ++i) {
    numbers[i] = (int32_t)((uint32_t)i * 2654435761u);
    want[i / chunk] = (int32_t)((uint32_t)want[i / chunk] + (uint32_t)numbers[i]);
  }

  obs_array input = {0, NULL, 0, {count}, {1}}, result;
  if ((status = cuMemAlloc(&input.data, count * sizeof(int32_t))) ||
      (status = cuMemcpyHtoD(input.data, numbers, count * sizeof(int32_t))) ||
      (status = obs_main(&input, &result)) ||
      (status = cuMemcpyDtoH(got, result.data, sums * sizeof(int32_t))))
    return fail("obs_main", status);
  int wrong = result.sizes[0] != sums;
  for (int i = 0; i < sums; ++i)
    wrong += got[i] != want[i];
  printf("%d sums, %d wrong\n", (int)sums, wrong);
  obs_free(&result);
  cuMemFree(input.data);
  cuDevicePrimaryCtxRelease(device);
  free(numbers);
  free(want);
  free(got);
  return wrong != 0;
}
