/* Runs the functions of host.mlir without a GPU, on arrays of 2^31 and 2^32
 * elements that are never touched. */
#include "host.c.inc"

static void run(int64_t n, int64_t k) {
  obs_array input = {1 << 20, NULL, 0, {n}, {1}}, whole, part;
  CUresult status = obs_whole(&input, k, &whole, &part);
  if (status != CUDA_SUCCESS) {
    printf("%lld from %lld: status %d\n", (long long)n, (long long)k,
           (int)status);
    return;
  }
  printf("%lld from %lld: %lld elements, %lld from element %lld on\n",
         (long long)n, (long long)k, (long long)whole.sizes[0],
         (long long)part.sizes[0], (long long)part.offset);
  obs_free(&whole);
}

int main(void) {
  obs_array input = {1 << 20, NULL, 0, {(int64_t)1 << 32}, {1}}, part;
  run((int64_t)1 << 31, ((int64_t)1 << 31) - 1);
  run((int64_t)1 << 32, (int64_t)1 << 31);
  run((int64_t)1 << 32, (int64_t)1 << 32);
  run(0, 0);
  fflush(stdout);
  run((int64_t)1 << 32, ((int64_t)1 << 32) + 1);
  run(0, (int64_t)1 << 32);
  run((int64_t)1 << 41, 0);
  if (obs_half(&input, &part) != CUDA_SUCCESS)
    return 1;
  printf("half: %lld from element %lld on\n", (long long)part.sizes[0],
         (long long)part.offset);
  input.sizes[0] = 0;
  printf("half of none: status %d\n", (int)obs_half(&input, &part));
  return 0;
}
