/* Runs the functions of slices.mlir without a GPU: parts of an array are memory of
 * the array, by which they are freed. */
#include "slices.c"

void mock_report(const char *what);

int main(void) {
  obs_array input = {0, NULL, 0, {9}, {1}}, result, back, whole;
  cuMemAlloc(&input.data, 9 * sizeof(int32_t));
  mock_report("input");

  if (obs_middle(&input, 3, 4, &result) || result.data != input.data ||
      result.offset != 3 || result.sizes[0] != 4 || result.strides[0] != 1)
    return 1;
  mock_report("middle");
  /* A part is an array like any other. */
  if (obs_middle(&result, 1, 2, &back) || back.data != input.data ||
      back.offset != 4 || back.sizes[0] != 2)
    return 1;
  mock_report("part of a part");

  /* Three results are one piece of memory. */
  if (obs_halves(&input, &result, &back, &whole) ||
      result.data != whole.data || back.data != whole.data ||
      result.offset != 0 || result.sizes[0] != 4 || back.offset != 4 ||
      back.sizes[0] != 5 || whole.sizes[0] != 9)
    return 1;
  obs_free(&whole);
  mock_report("halves");

  if (obs_shrink(&input, &result) || result.data != input.data ||
      result.offset != 4 || result.sizes[0] != 1)
    return 1;
  mock_report("shrink");

  /* A part that begins elsewhere is an argument of kernels, and is not freed. */
  if (obs_pyramid(&input, 3, &result, &back) || result.data != input.data ||
      result.offset != 3 || result.sizes[0] != 3 || back.data == input.data)
    return 1;
  obs_free(&back);
  mock_report("pyramid");

  /* The kernel takes its argument to be aligned, which this is not. */
  obs_middle(&input, 1, 8, &back);
  if (obs_made(&back, 1, 2, &result) != CUDA_ERROR_MISALIGNED_ADDRESS ||
      result.data != 0)
    return 1;
  mock_report("misaligned");
  cuMemFree(input.data);
  mock_report("end");
  return 0;
}
