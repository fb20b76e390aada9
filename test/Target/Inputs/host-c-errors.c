/* Runs the functions of host-c-errors.mlir without a GPU, and prints what they
 * give. */
#include "errors.c"

void mock_report(const char *what);

/* Everything goes one way, in order. */
static void report(const char *what, CUresult status) {
  fflush(stdout);
  fprintf(stderr, "%s: status %d\n", what, (int)status);
}

int main(void) {
  obs_array four = {0, NULL, 0, {4}, {1}}, five = {0, NULL, 0, {5}, {1}};
  obs_array matrix = {0, NULL, 0, {5, 7}, {7, 1}}, result;
  int64_t count;
  setvbuf(stdout, NULL, _IONBF, 0);
  cuMemAlloc(&four.data, 4 * sizeof(int32_t));
  cuMemAlloc(&five.data, 5 * sizeof(float));
  cuMemAlloc(&matrix.data, 35 * sizeof(int32_t));

  report("long", obs_long(INT64_C(1) << 31, INT64_C(1) << 31, &result));
  report("longest", obs_long((INT64_C(1) << 31) - 1, INT64_C(1) << 30, &result));
  report("wide", obs_wide(INT64_C(1) << 40, 1 << 20, 2, &result));
  report("empty", obs_wide(INT64_C(1) << 40, 1 << 22, 0, &result));
  report("negative", obs_checked(-4, &result));

  report("pairs", obs_pairs(1, &four, &five, &result));
  five.sizes[0] = 4;
  report("pairs that agree", obs_pairs(1, &four, &five, &result));
  obs_free(&result);
  five.sizes[0] = 5;
  report("static", obs_static(&five, &result));
  report("static that fits", obs_static(&four, &result));
  report("bound", obs_bound(&matrix, &count));
  matrix.sizes[0] = 4;
  report("bound that holds", obs_bound(&matrix, &count));

  report("unread", obs_unread(&result));
  obs_free(&result);
  cuMemFree(four.data);
  cuMemFree(five.data);
  cuMemFree(matrix.data);
  mock_report("end");
  return 0;
}
