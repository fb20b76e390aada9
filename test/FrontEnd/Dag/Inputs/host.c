/* Calls functions of Dag programs with a driver whose kernels do nothing. */
#include "identity.c"
#include <assert.h>

static void check_identity(void) {
  const int xs[] = {3, 1, 4, 1, 5};
  int copy[8] = {0};
  int count = dag_identity(copy, 8, xs, 5);
  printf("%d elements: %d %d %d %d %d\n", count, copy[0], copy[1], copy[2], copy[3], copy[4]);
  printf("%d elements\n", dag_identity(copy, 8, xs, 0));
}

int main(int argc, char **argv) {
  (void)argv;
  int copy[2];
  check_identity();
  if (argc > 1)
    dag_identity(copy, 2, (const int[]){1, 2, 3}, 3);
  return 0;
}
