// Peers from cuBLAS and cuSPARSE.
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "peers.h"
#include <cublas_v2.h>
#include <cusparse.h>

static int fromBlas(cublasStatus_t status) {
  return status ? 1000 + static_cast<int>(status) : 0;
}

static int fromSparse(cusparseStatus_t status) {
  return status ? 2000 + static_cast<int>(status) : 0;
}

static cublasHandle_t getBlas() {
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    cublasCreate(&made);
    cublasSetPointerMode(made, CUBLAS_POINTER_MODE_DEVICE);
    return made;
  }();
  return handle;
}

/// The dot product of two vectors of n[0] floats; torch.dot calls the same.
PEER(cublas_dot_f32) {
  return fromBlas(cublasSdot(getBlas(), static_cast<int>(n[0]),
                             ARRAY(const float, 0), 1, ARRAY(const float, 1), 1,
                             ARRAY(float, 2)));
}

/// The product of matrices of n[0] x n[2] and n[2] x n[1] floats, row by row.
/// The last array has a one and a zero.
PEER(cublas_matmul_f32) {
  int rows = static_cast<int>(n[0]), columns = static_cast<int>(n[1]),
      inner = static_cast<int>(n[2]);
  const float *numbers = ARRAY(const float, 3);
  return fromBlas(cublasSgemm(getBlas(), CUBLAS_OP_N, CUBLAS_OP_N, columns,
                              rows, inner, numbers, ARRAY(const float, 1),
                              columns, ARRAY(const float, 0), inner,
                              numbers + 1, ARRAY(float, 2), columns));
}

/// y = A x for a matrix of n[0] x n[1] with n[2] elements: offsets, columns,
/// values, x, y.
PEER(cusparse_spmv_f32) {
  static cusparseHandle_t handle = [] {
    cusparseHandle_t made = nullptr;
    cusparseCreate(&made);
    return made;
  }();
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t x, y;
  const float one = 1, zero = 0;
  cusparseStatus_t status = cusparseCreateCsr(
      &matrix, n[0], n[1], n[2], p[0], p[1], p[2], CUSPARSE_INDEX_32I,
      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  if (status)
    return fromSparse(status);
  cusparseCreateDnVec(&x, n[1], p[3], CUDA_R_32F);
  cusparseCreateDnVec(&y, n[0], p[4], CUDA_R_32F);
  size_t size = 0;
  status = cusparseSpMV_bufferSize(
      handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, x, &zero, y,
      CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &size);
  if (!status)
    status = size > scratchSize
                 ? CUSPARSE_STATUS_INSUFFICIENT_RESOURCES
                 : cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                matrix, x, &zero, y, CUDA_R_32F,
                                CUSPARSE_SPMV_ALG_DEFAULT, scratch);
  cusparseDestroyDnVec(y);
  cusparseDestroyDnVec(x);
  cusparseDestroySpMat(matrix);
  return fromSparse(status);
}
