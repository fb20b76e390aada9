// Five kernels in a row, launched in the usual way, and so that each waits
// itself for the one before it (programmatic stream serialisation), with and
// without leave for the next kernel to start early.
//
//   nvcc -O3 -arch=sm_90 benchmarks/early_launches.cu -o early_launches
//   ./early_launches
//
// Prints microseconds for the five, the median of 60 measurements of 20
// repetitions, launched from a stream and as a graph.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

static void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

template <bool waits, bool launches>
__global__ void step(const float *from, float *to, int n) {
  if (launches)
    asm volatile("griddepcontrol.launch_dependents;");
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (waits)
    asm volatile("griddepcontrol.wait;" ::: "memory");
  if (i < n)
    to[i] = from[i] * 1.5f + 1.0f;
}

template <bool waits, bool launches>
static float measure(float *a, float *b, int n, bool asGraph) {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = (n + 255) / 256;
  config.blockDim = 256;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = waits;
  auto launch = [&] {
    for (int k = 0; k < 5; ++k)
      check(cudaLaunchKernelEx(&config, step<waits, launches>,
                               static_cast<const float *>(k % 2 ? b : a),
                               k % 2 ? a : b, n));
  };
  cudaGraphExec_t graph = nullptr;
  if (asGraph) {
    cudaGraph_t captured;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch();
    check(cudaStreamEndCapture(stream, &captured));
    check(cudaGraphInstantiate(&graph, captured, 0));
  }
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 60; ++i) {
    check(cudaEventRecord(begin, stream));
    for (int k = 0; k < 20; ++k) {
      if (asGraph)
        check(cudaGraphLaunch(graph, stream));
      else
        launch();
    }
    check(cudaEventRecord(end, stream));
    check(cudaStreamSynchronize(stream));
    float milliseconds;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    times.push_back(milliseconds * 1000 / 20);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int main() {
  float *a, *b;
  constexpr int most = 1 << 20;
  check(cudaMalloc(&a, most * sizeof(float)));
  check(cudaMalloc(&b, most * sizeof(float)));
  check(cudaMemset(a, 0, most * sizeof(float)));
  for (bool asGraph : {false, true})
    for (int bits : {10, 16, 20}) {
      int n = 1 << bits;
      std::printf("%s, 2^%d elements: usual %.2f us, waits %.2f us, waits and "
                  "lets the next one start %.2f us\n",
                  asGraph ? "graph" : "stream", bits,
                  measure<false, false>(a, b, n, asGraph),
                  measure<true, false>(a, b, n, asGraph),
                  measure<true, true>(a, b, n, asGraph));
    }
}
