/* Runs what the plan of rotations.mlir says, without a GPU. */
#include "rotations.c"

void mock_report(const char *what);
void mock_waits(const char *what);

static void report(const char *what) {
  mock_report(what);
  mock_waits(what);
}

int main(void) {
  obs_array input = {0, NULL, 0, {64}, {1}}, first, second, third;
  int32_t sum = 1;
  cuMemAlloc(&input.data, 64 * sizeof(int32_t));
  report("input");

  if (obs_fibonacci(&input, 10, &first, &second, &third) ||
      first.data == second.data || third.data != input.data)
    return 1;
  obs_free(&first), obs_free(&second);
  report("fibonacci");
  if (obs_leapfrog(&input, 10, &first, &second, &third) ||
      first.data == second.data || third.data != input.data)
    return 1;
  obs_free(&first), obs_free(&second);
  report("leapfrog");
  if (obs_inner(&input, 5, &first, &second) || first.data == second.data)
    return 1;
  obs_free(&first), obs_free(&second);
  report("inner");
  if (obs_halves(&input, &first) || first.sizes[0] != 1)
    return 1;
  obs_free(&first);
  report("halves");
  if (obs_pascal(&input, 10, &first) || first.sizes[0] != 11)
    return 1;
  obs_free(&first);
  report("pascal");
  if (obs_kept(&input, 4, &first))
    return 1;
  obs_free(&first);
  report("kept");
  /* The host reads an element in each turn. */
  if (obs_looks(&input, 7, &sum) || sum != 0)
    return 1;
  report("looks");
  cuMemFree(input.data);
  report("end");
  return 0;
}
