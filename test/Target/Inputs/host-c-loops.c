/* Runs the functions of loops.mlir without a GPU. */
#include "loops.c"

void mock_report(const char *what);

int main(void) {
  obs_array input = {0, NULL, 0, {5}, {1}}, result, other;
  int32_t turns = -1;
  memset(&result, 0, sizeof(result));
  cuMemAlloc(&input.data, 5 * sizeof(int32_t));
  mock_report("input");

  /* Of no turns the result is the argument. */
  if (obs_turns(&input, 0, &result, &other) || result.data != input.data ||
      other.data != input.data)
    return 1;
  mock_report("turns 0");
  if (obs_turns(&input, 10, &result, &other) || result.data == input.data ||
      other.data != input.data)
    return 1;
  obs_free(&result);
  mock_report("turns 10");
  if (obs_nested(&input, 4, &result, &other) || result.data == input.data)
    return 1;
  obs_free(&result);
  mock_report("nested 4");
  if (obs_scratch(&input, 10, &result))
    return 1;
  obs_free(&result);
  mock_report("scratch 10");
  /* Arrays that shrink are new ones. */
  if (obs_shrink(&input, 3, &result) || result.sizes[0] != 2)
    return 1;
  obs_free(&result);
  mock_report("shrink 3");
  /* The limit is reached at once: one read, no kernel. */
  if (obs_until(&input, 0, &result, &turns) || turns != 0 ||
      result.data != input.data)
    return 1;
  mock_report("until 0");
  cuMemFree(input.data);
  mock_report("end");
  return 0;
}
