// The C++ programs check each call of the CUDA driver. After an error, they
// print the call and end.

#ifndef OBSIDIAN_EXAMPLES_INTEROP_CHECK_H
#define OBSIDIAN_EXAMPLES_INTEROP_CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cuda.h>

inline void check(CUresult status, const char *what) {
  if (status == CUDA_SUCCESS)
    return;
  const char *text = "";
  cuGetErrorString(status, &text);
  std::fprintf(stderr, "%s: %s\n", what, text);
  std::exit(1);
}

#endif // OBSIDIAN_EXAMPLES_INTEROP_CHECK_H
