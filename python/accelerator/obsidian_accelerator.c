/*===- obsidian_accelerator.c - Calls on a GPU with less overhead -*- C -*-===*\
|*                                                                            *|
|* Part of the Obsidian project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* An optional module of Python for the package `obsidian`. It does what the
 * function of fast_calls.py does: it tests that the values of a call have the
 * usual form, packs the words of the run, runs the program, and makes arrays of
 * the results. For other values, `Call.run` returns None and changes nothing.
 * Then the package prepares the values, or reports an error. So this module has
 * no messages of its own.
 *
 * The module uses the stable ABI of Python 3.10, so one binary serves all later
 * versions. It links nothing: the package passes the address of
 * `obs_run_packed`. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The version of the interface of this module; accelerator.py compares it. */
#define VERSION 2
/* Kernels read several elements at once, from multiples of this address. */
#define ALIGNMENT 16
#define MAX_RANK 8
/* Programs with more words have no fast calls. */
#define MAX_WORDS 128
/* A run may allocate more blocks. The later ones are bytes at first. */
#define MAX_KNOWN 32

/*===----------------------------------------------------------------------===*\
|* DLPack's functions for other libraries                                     *|
\*===----------------------------------------------------------------------===*/

/* The parts of dlpack.h, version 1, that are used. PyTorch describes a tensor
 * in this way in a small part of the time that its methods take. */

typedef struct {
  void *data;
  int32_t device_type, device_id, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *extents, *strides;
  uint64_t byte_offset;
} Tensor;

typedef struct {
  uint32_t major, minor;
  void *older;
  void *allocate, *from_object, *to_object;
  /* Fills a description that is valid until Python code runs. */
  int (*describe)(void *object, Tensor *tensor);
  void *current_stream;
} Exchange;

/*===----------------------------------------------------------------------===*\
|* Objects                                                                    *|
\*===----------------------------------------------------------------------===*/

typedef struct {
  /* The letter of `struct` for a number; 'a' for an array. */
  char kind;
  /* Of an array: its rank, the type of its elements for Python and DLPack. */
  int rank;
  PyObject *dtype;
  uint8_t code, bits;
  /* The program may write it. */
  int is_written;
} Parameter;

typedef struct {
  /* The requirement on a word: the value, at most the value, or the word
   * `value`. */
  enum { EQUAL, AT_MOST, SAME } kind;
  Py_ssize_t word;
  int64_t value;
} Check;

typedef struct {
  /* The rank, or -1 of a number. */
  int rank;
  uint64_t size;
  /* The name of the elements, as the package spells it. */
  PyObject *element;
  /* The type of the elements, and for PyTorch the function that makes arrays of
   * this type, from their extents. */
  PyObject *dtype, *make;
} Result;

/* Memory that a run has allocated. */
typedef struct {
  uint64_t pointer, bytes;
  PyObject *object;
  /* The number of older blocks of the run, and the result whose type it has; -1
   * for bytes. */
  int number, result;
} Block;

/* The result that a block was in the last run. A run allocates the same blocks
 * in the same order as the run before. So the block can have its type at once,
 * and no view of it is needed. */
typedef struct {
  int result;
  uint64_t bytes;
  int64_t extents[MAX_RANK];
  PyObject *shape, *strides;
} Known;

typedef int (*Run)(void *executable, const uint64_t *arguments,
                   uint64_t *results, void *stream);

typedef struct {
  PyObject ob_base;
  /* The functions of Python that allocate and free for all other calls. */
  PyObject *allocate, *free;

  /* Set by `prepare`. */
  int is_ready, is_torch, is_busy;
  Run run;
  void *executable;
  uint64_t *arguments, *results;
  Py_ssize_t num_parameters, num_checks, num_results, num_words;
  Parameter *parameters;
  Check *checks;
  Result *slots;
  const Exchange *exchange;
  int32_t device_type, device_id;
  /* Keeps the addresses above valid. */
  PyObject *owner;
  /* The lock of the backend, its handles to destroy, and the function that
   * destroys them. */
  PyObject *acquire, *release, *dead, *bury;
  /* The number of forks: the names of a module, the name in it, its value. */
  PyObject *names, *forks, *no_forks;
  /* The classes of arrays, in a tuple. */
  PyObject *kinds;
  PyObject *index, *stream;
  /* Makes a block of bytes. PyTorch: makes a tensor of extents, strides and a
   * type on the current GPU; None if there is no such function. Returns the
   * current GPU; None if there is only one. */
  PyObject *bytes, *empty, *current;
  /* The other cases, in Python: an array in a block, a result elsewhere, a
   * number, and the exception of a run. */
  PyObject *part, *other, *number, *fail;
  /* CuPy: the class of arrays. */
  PyObject *array;

  /* The run. Without the lock of the interpreter, `thread` is its state. */
  PyThreadState *thread;
  Block *blocks;
  Py_ssize_t num_blocks, room;
  int count;
  PyObject *error[3];
  Known known[MAX_KNOWN];
} Call;

static PyObject *name_of_dtype, *name_of_shape, *name_of_data, *name_of_ptr,
    *name_of_flags, *name_of_device_id, *name_of_c_contiguous,
    *name_of_get_device, *name_of_is_contiguous, *name_of_is_neg,
    *name_of_data_ptr, *name_of_requires_grad, *name_of_detach;

/*===----------------------------------------------------------------------===*\
|* Memory                                                                     *|
\*===----------------------------------------------------------------------===*/

/* Functions whose name begins with `take` let go of their argument. */

/* 1 if a number is `index`, 0 if not, and -1 with an exception. */
static int takeIsIndex(PyObject *found, long index) {
  if (!found)
    return -1;
  long number = PyLong_AsLong(found);
  Py_DECREF(found);
  return number == -1 && PyErr_Occurred() ? -1 : number == index;
}

/* Reads an unsigned number. False with an exception. */
static int takeWord(PyObject *number, uint64_t *word) {
  if (!number)
    return 0;
  *word = PyLong_AsUnsignedLongLong(number);
  Py_DECREF(number);
  return *word != (uint64_t)-1 || !PyErr_Occurred();
}

static PyObject *shapeOf(const uint64_t *extents, int rank) {
  PyObject *shape = PyTuple_New(rank);
  for (int d = 0; shape && d < rank; ++d) {
    PyObject *extent = PyLong_FromUnsignedLongLong(extents[d]);
    if (!extent || PyTuple_SetItem(shape, d, extent) < 0)
      Py_CLEAR(shape);
  }
  return shape;
}

/* Makes a tensor with the type of a result. */
static PyObject *makeTensor(Call *self, const Known *known, PyObject *shape) {
  const Result *slot = self->slots + known->result;
  int is_current = self->empty != Py_None;
  if (is_current && self->current != Py_None)
    is_current =
        takeIsIndex(PyObject_CallNoArgs(self->current), self->device_id);
  if (is_current < 0)
    return NULL;
  /* This takes a third of the time of the method. */
  if (is_current)
    return PyObject_CallFunctionObjArgs(self->empty, shape, known->strides,
                                        slot->dtype, NULL);
  /* PyTorch reads one number faster than a tuple. */
  PyObject *extents = slot->rank == 1 ? PyTuple_GetItem(shape, 0) : shape;
  return PyObject_CallFunctionObjArgs(slot->make, extents, NULL);
}

/* Makes a block for the next allocation of the run. */
static PyObject *makeBlock(Call *self, uint64_t bytes, int *result) {
  const Known *known = self->count < MAX_KNOWN ? self->known + self->count : 0;
  PyObject *shape = NULL, *block;
  *result = -1;
  if (known && known->result >= 0) {
    const Result *slot = self->slots + known->result;
    uint64_t extent = bytes / slot->size;
    if (known->bytes == bytes) {
      shape = known->shape;
      Py_INCREF(shape);
    } else if (slot->rank == 1 && bytes % slot->size == 0) {
      shape = shapeOf(&extent, 1);
      if (!shape)
        return NULL;
    }
    if (shape) {
      *result = known->result;
      block = makeTensor(self, known, shape);
      Py_DECREF(shape);
      return block;
    }
  }
  PyObject *size = PyLong_FromUnsignedLongLong(bytes);
  if (!size)
    return NULL;
  block = PyObject_CallFunctionObjArgs(self->bytes, size, NULL);
  Py_DECREF(size);
  return block;
}

static int readAddress(const Call *self, PyObject *block, uint64_t *pointer) {
  Tensor tensor;
  if (self->exchange && !self->exchange->describe(block, &tensor)) {
    *pointer = (uintptr_t)tensor.data + tensor.byte_offset;
    return 1;
  }
  PyErr_Clear();
  return takeWord(
      self->is_torch ? PyObject_CallMethodObjArgs(block, name_of_data_ptr, NULL)
                     : PyObject_GetAttr(block, name_of_ptr),
      pointer);
}

/* The address of a new block; 0 with an exception. */
static uint64_t allocateBlock(Call *self, uint64_t bytes) {
  if (self->num_blocks == self->room) {
    Py_ssize_t room = 2 * self->room + 8;
    Block *blocks = PyMem_Realloc(self->blocks, room * sizeof(Block));
    if (!blocks) {
      PyErr_NoMemory();
      return 0;
    }
    self->blocks = blocks;
    self->room = room;
  }
  int result;
  uint64_t pointer;
  PyObject *block = makeBlock(self, bytes, &result);
  if (!block)
    return 0;
  if (!readAddress(self, block, &pointer)) {
    Py_DECREF(block);
    return 0;
  }
  Block found = {pointer, bytes, block, self->count++, result};
  self->blocks[self->num_blocks++] = found;
  return pointer;
}

/* `obs_device_options.allocate`. */
static uint64_t allocate(void *user, uint64_t bytes) {
  Call *self = user;
  uint64_t pointer = 0;
  if (self->thread) {
    PyEval_RestoreThread(self->thread);
    self->thread = NULL;
    pointer = allocateBlock(self, bytes);
    /* A function that C calls cannot raise an exception. The first is kept. */
    if (!pointer && PyErr_Occurred() && self->error[0])
      PyErr_Clear();
    else if (!pointer && PyErr_Occurred())
      PyErr_Fetch(self->error, self->error + 1, self->error + 2);
    self->thread = PyEval_SaveThread();
    return pointer;
  }
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *found = PyObject_CallFunction(self->allocate, "OK", Py_None,
                                          (unsigned long long)bytes);
  if (!takeWord(found, &pointer)) {
    PyErr_WriteUnraisable(self->allocate);
    pointer = 0;
  }
  PyGILState_Release(state);
  return pointer;
}

/* `obs_device_options.free`. */
static void release(void *user, uint64_t pointer) {
  Call *self = user;
  if (self->thread) {
    PyEval_RestoreThread(self->thread);
    self->thread = NULL;
    /* Most blocks are freed soon. */
    for (Py_ssize_t n = self->num_blocks; n-- > 0;) {
      if (self->blocks[n].pointer != pointer)
        continue;
      PyObject *object = self->blocks[n].object;
      memmove(self->blocks + n, self->blocks + n + 1,
              (--self->num_blocks - n) * sizeof(Block));
      Py_DECREF(object);
      break;
    }
    self->thread = PyEval_SaveThread();
    return;
  }
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *found = PyObject_CallFunction(self->free, "OK", Py_None,
                                          (unsigned long long)pointer);
  if (!found)
    PyErr_WriteUnraisable(self->free);
  Py_XDECREF(found);
  PyGILState_Release(state);
}

/* Ends a run: blocks that are not part of a result are freed. */
static void forget(Call *self) {
  self->count = 0;
  while (self->num_blocks)
    Py_DECREF(self->blocks[--self->num_blocks].object);
  for (int n = 0; n < 3; ++n)
    Py_CLEAR(self->error[n]);
}

/*===----------------------------------------------------------------------===*\
|* Values                                                                     *|
\*===----------------------------------------------------------------------===*/

/* These functions return 1 if a value has the usual form, 0 if it has another
 * one, and -1 with an exception. */

/* Lets go of `found`, which is `expected` in the usual form. */
static int takeIs(PyObject *found, PyObject *expected) {
  if (!found)
    return -1;
  Py_DECREF(found);
  return found == expected;
}

/* The numbers of a tuple; other sequences have another form. */
static int takeExtents(PyObject *shape, int rank, uint64_t *words) {
  if (!shape)
    return -1;
  int found = PyTuple_Check(shape) && PyTuple_Size(shape) == rank;
  for (int d = 0; found == 1 && d < rank; ++d) {
    long long extent = PyLong_AsLongLong(PyTuple_GetItem(shape, d));
    if (extent == -1 && PyErr_Occurred())
      found = -1;
    words[d] = extent;
  }
  Py_DECREF(shape);
  return found;
}

static int isNotNegative(PyObject *value) {
  return takeIs(PyObject_CallMethodObjArgs(value, name_of_is_neg, NULL),
                Py_False);
}

static int describe(const Call *self, const Parameter *parameter,
                    PyObject *value, uint64_t *words) {
  Tensor tensor;
  if (self->exchange->describe(value, &tensor)) {
    PyErr_Clear();
    return 0;
  }
  if (tensor.code != parameter->code || tensor.bits != parameter->bits ||
      tensor.lanes != 1 || tensor.device_type != self->device_type ||
      tensor.device_id != self->device_id || tensor.rank != parameter->rank)
    return 0;
  uint64_t size = 1;
  int is_contiguous = 1;
  for (int d = tensor.rank; d-- > 0;) {
    uint64_t extent = tensor.extents[d];
    words[1 + d] = extent;
    if (extent != 1 && tensor.strides && (uint64_t)tensor.strides[d] != size)
      is_contiguous = 0;
    size *= extent;
  }
  words[0] = (uintptr_t)tensor.data + tensor.byte_offset;
  return is_contiguous || size == 0 ? isNotNegative(value) : 0;
}

static int readTensor(const Call *self, const Parameter *parameter,
                      PyObject *value, uint64_t *words) {
  int found;
  if (self->exchange)
    return describe(self, parameter, value, words);
  if ((found = takeIs(PyObject_GetAttr(value, name_of_dtype),
                      parameter->dtype)) != 1)
    return found;
  if ((found = takeIsIndex(
           PyObject_CallMethodObjArgs(value, name_of_get_device, NULL),
           self->device_id)) != 1)
    return found;
  if ((found = takeIs(
           PyObject_CallMethodObjArgs(value, name_of_is_contiguous, NULL),
           Py_True)) != 1)
    return found;
  if ((found = isNotNegative(value)) != 1)
    return found;
  if ((found = takeExtents(PyObject_GetAttr(value, name_of_shape),
                           parameter->rank, words + 1)) != 1)
    return found;
  PyObject *number = PyObject_CallMethodObjArgs(value, name_of_data_ptr, NULL);
  return takeWord(number, words) ? 1 : -1;
}

static int readCuPyArray(const Call *self, const Parameter *parameter,
                         PyObject *value, uint64_t *words) {
  int found;
  PyObject *dtype = PyObject_GetAttr(value, name_of_dtype);
  if (!dtype)
    return -1;
  found = dtype == parameter->dtype
              ? 1
              : PyObject_RichCompareBool(dtype, parameter->dtype, Py_EQ);
  Py_DECREF(dtype);
  if (found != 1)
    return found;
  PyObject *flags = PyObject_GetAttr(value, name_of_flags);
  if (!flags)
    return -1;
  found = takeIs(PyObject_GetAttr(flags, name_of_c_contiguous), Py_True);
  Py_DECREF(flags);
  if (found != 1)
    return found;
  if ((found = takeExtents(PyObject_GetAttr(value, name_of_shape),
                           parameter->rank, words + 1)) != 1)
    return found;
  PyObject *memory = PyObject_GetAttr(value, name_of_data);
  if (!memory)
    return -1;
  found =
      takeIsIndex(PyObject_GetAttr(memory, name_of_device_id), self->device_id);
  if (found == 1 && !takeWord(PyObject_GetAttr(memory, name_of_ptr), words))
    found = -1;
  Py_DECREF(memory);
  return found;
}

static int readInteger(char kind, PyObject *value, uint64_t *word) {
  static const char kinds[] = "bhiq";
  if (!PyLong_CheckExact(value))
    return 0;
  int overflow;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  int bits = 8 << (strchr(kinds, kind) - kinds);
  if (overflow)
    return 0;
  if (bits == 64) {
    *word = number;
    return 1;
  }
  if (number < -(1LL << (bits - 1)) || number >= 1LL << (bits - 1))
    return 0;
  *word = (uint64_t)number & ((1ULL << bits) - 1);
  return 1;
}

static int isArray(const Call *self, PyObject *value) {
  for (Py_ssize_t n = 0; n < PyTuple_Size(self->kinds); ++n)
    if ((PyObject *)Py_TYPE(value) == PyTuple_GetItem(self->kinds, n))
      return 1;
  return 0;
}

/* Puts the word of a number, or the words of an array, at `words`. */
static int readValue(const Call *self, const Parameter *parameter,
                     PyObject *value, uint64_t *words) {
  switch (parameter->kind) {
  case 'a':
    if (!isArray(self, value))
      return 0;
    return self->is_torch ? readTensor(self, parameter, value, words)
                          : readCuPyArray(self, parameter, value, words);
  case '?':
    *words = value == Py_True;
    return value == Py_True || value == Py_False;
  case 'f':
  case 'd': {
    if (!PyFloat_CheckExact(value))
      return 0;
    double number = PyFloat_AsDouble(value);
    float rounded = (float)number;
    *words = 0;
    if (parameter->kind == 'd')
      memcpy(words, &number, sizeof(number));
    else if (isinf(rounded) && !isinf(number))
      return 0;
    else
      memcpy(words, &rounded, sizeof(rounded));
    return 1;
  }
  default:
    return readInteger(parameter->kind, value, words);
  }
}

/* The bytes of an array with these words. */
static uint64_t sizeOf(const Parameter *parameter, const uint64_t *words) {
  uint64_t size = parameter->bits / 8;
  for (int d = 0; d < parameter->rank; ++d)
    size *= words[1 + d];
  return size;
}

/* 1 if arrays that the program writes share no memory with others. */
static int areApart(const Call *self, const uint64_t *words) {
  const uint64_t *one = words, *other;
  for (Py_ssize_t n = 0; n < self->num_parameters; ++n) {
    const Parameter *parameter = self->parameters + n;
    other = words;
    for (Py_ssize_t m = 0; parameter->is_written && m < self->num_parameters;
         ++m) {
      const Parameter *second = self->parameters + m;
      uint64_t size = sizeOf(parameter, one), length = sizeOf(second, other);
      if (n != m && size && length && *one < *other + length &&
          *other < *one + size && second->kind == 'a')
        return 0;
      other += 1 + second->rank;
    }
    one += 1 + parameter->rank;
  }
  return 1;
}

/* Puts the words of all values at `words`. */
static int readValues(const Call *self, PyObject *values, uint64_t *words) {
  const uint64_t *begin = words;
  uint64_t pointers = 0;
  if (PyTuple_Size(values) != self->num_parameters)
    return 0;
  for (Py_ssize_t n = 0; n < self->num_parameters; ++n) {
    const Parameter *parameter = self->parameters + n;
    int found = readValue(self, parameter, PyTuple_GetItem(values, n), words);
    if (found != 1)
      return found;
    if (parameter->is_written && self->is_torch &&
        (found = takeIs(PyObject_GetAttr(PyTuple_GetItem(values, n),
                                         name_of_requires_grad),
                        Py_False)) != 1)
      return found;
    if (parameter->kind == 'a')
      pointers |= *words;
    words += 1 + parameter->rank;
  }
  for (Py_ssize_t n = 0; n < self->num_checks; ++n) {
    const Check *check = self->checks + n;
    int64_t word = (int64_t)begin[check->word];
    if (check->kind == AT_MOST
            ? word > check->value
            : word != (check->kind == EQUAL ? check->value
                                            : (int64_t)begin[check->value]))
      return 0;
  }
  return pointers % ALIGNMENT == 0 && areApart(self, begin);
}

/*===----------------------------------------------------------------------===*\
|* Results                                                                    *|
\*===----------------------------------------------------------------------===*/

/* Remembers that a block became a result. False with an exception. */
static int learn(Call *self, int number, const Block *block,
                 const uint64_t *extents, PyObject *shape) {
  const Result *slot = self->slots + number;
  uint64_t strides[MAX_RANK], size = 1;
  if (block->number >= MAX_KNOWN)
    return 1;
  for (int d = slot->rank; d-- > 0;) {
    strides[d] = size;
    size *= extents[d] ? extents[d] : 1;
  }
  PyObject *found = shapeOf(strides, slot->rank);
  if (!found)
    return 0;
  Known *known = self->known + block->number;
  PyObject *old[] = {known->shape, known->strides};
  known->result = number;
  known->bytes = block->bytes;
  memcpy(known->extents, extents, slot->rank * sizeof(int64_t));
  Py_INCREF(shape);
  known->shape = shape;
  known->strides = found;
  Py_XDECREF(old[0]);
  Py_XDECREF(old[1]);
  return 1;
}

static PyObject *arrayIn(Call *self, int number, Block *block,
                         const uint64_t *extents) {
  const Result *slot = self->slots + number;
  uint64_t size = slot->size;
  for (int d = 0; d < slot->rank; ++d)
    size *= extents[d];
  if (self->is_torch && block->result >= 0 && size == block->bytes) {
    const Result *typed = self->slots + block->result;
    const Known *known = self->known + block->number;
    int is_same =
        typed->element == slot->element && typed->rank == slot->rank &&
        (slot->rank == 1 ||
         !memcmp(known->extents, extents, slot->rank * sizeof(int64_t)));
    if (is_same) {
      Py_INCREF(block->object);
      return block->object;
    }
  }
  PyObject *shape = shapeOf(extents, slot->rank);
  if (!shape)
    return NULL;
  PyObject *found;
  if (!self->is_torch) {
    found = PyObject_CallFunctionObjArgs(self->array, shape, slot->dtype,
                                         block->object, NULL);
  } else {
    found = PyObject_CallFunction(self->part, "OiOO", block->object, 0, shape,
                                  slot->element);
    if (found && size == block->bytes &&
        !learn(self, number, block, extents, shape))
      Py_CLEAR(found);
  }
  Py_DECREF(shape);
  return found;
}

/* A new array for the whole memory of an argument; NULL without an exception if
 * a result is no such array. */
static PyObject *argumentAt(Call *self, const Result *slot,
                            const uint64_t *words, PyObject *values) {
  const uint64_t *given = self->arguments;
  for (Py_ssize_t n = 0; n < self->num_parameters; ++n) {
    const Parameter *parameter = self->parameters + n;
    PyObject *value = PyTuple_GetItem(values, n);
    if (parameter->kind == 'a' && parameter->dtype == slot->dtype &&
        parameter->rank == slot->rank && *given &&
        !memcmp(given, words, (1 + slot->rank) * sizeof(*words))) {
      if (self->is_torch)
        return PyObject_CallMethodObjArgs(value, name_of_detach, NULL);
      PyObject *found = NULL, *memory = PyObject_GetAttr(value, name_of_data);
      PyObject *shape = shapeOf(words + 1, slot->rank);
      if (memory && shape)
        found = PyObject_CallFunctionObjArgs(self->array, shape, slot->dtype,
                                             memory, NULL);
      Py_XDECREF(memory);
      Py_XDECREF(shape);
      return found;
    }
    given += 1 + parameter->rank;
  }
  return NULL;
}

/* A result that does not begin where a block begins. */
static PyObject *arrayElsewhere(Call *self, const Result *slot,
                                const uint64_t *words, PyObject *values) {
  PyObject *found = argumentAt(self, slot, words, values);
  if (found || PyErr_Occurred())
    return found;
  PyObject *blocks = PyDict_New();
  PyObject *shape = shapeOf(words + 1, slot->rank);
  for (Py_ssize_t n = 0; blocks && n < self->num_blocks; ++n) {
    PyObject *pointer = PyLong_FromUnsignedLongLong(self->blocks[n].pointer);
    if (!pointer || PyDict_SetItem(blocks, pointer, self->blocks[n].object))
      Py_CLEAR(blocks);
    Py_XDECREF(pointer);
  }
  if (blocks && shape)
    found =
        PyObject_CallFunction(self->other, "OKOO", blocks,
                              (unsigned long long)*words, shape, slot->element);
  Py_XDECREF(blocks);
  Py_XDECREF(shape);
  return found;
}

static PyObject *readResults(Call *self, PyObject *values) {
  const uint64_t *words = self->results;
  PyObject *found = PyList_New(self->num_results);
  for (int n = 0; found && n < self->num_results; ++n) {
    const Result *slot = self->slots + n;
    PyObject *value = NULL;
    Block *block = NULL;
    for (Py_ssize_t b = 0; slot->rank >= 0 && b < self->num_blocks; ++b)
      if (self->blocks[b].pointer == *words)
        block = self->blocks + b;
    if (slot->rank < 0)
      value = PyObject_CallFunction(self->number, "n",
                                    (Py_ssize_t)(words - self->results));
    else if (block && *words)
      value = arrayIn(self, n, block, words + 1);
    else
      value = arrayElsewhere(self, slot, words, values);
    if (!value || PyList_SetItem(found, n, value))
      Py_CLEAR(found);
    words += 1 + (slot->rank > 0 ? slot->rank : 0);
  }
  return found;
}

/*===----------------------------------------------------------------------===*\
|* Calls                                                                      *|
\*===----------------------------------------------------------------------===*/

/* True if the state of the backend is the usual one. False with or without an
 * exception. */
static int isUsual(Call *self) {
  /* The allocator of the framework may run code of the user, which may call the
   * program again. */
  if (self->is_busy ||
      PyDict_GetItemWithError(self->names, self->forks) != self->no_forks)
    return 0;
  Py_ssize_t dead = PyObject_Size(self->dead);
  if (dead > 0) {
    PyObject *done = PyObject_CallNoArgs(self->bury);
    Py_XDECREF(done);
    return done != NULL;
  }
  return dead == 0;
}

/* The current stream of the framework. False with an exception. */
static int readStream(const Call *self, uint64_t *stream) {
  PyObject *found =
      PyObject_CallFunctionObjArgs(self->stream, self->index, NULL);
  if (found && !PyLong_Check(found)) {
    PyObject *number = PyObject_GetAttr(found, name_of_ptr);
    Py_DECREF(found);
    found = number;
  }
  if (!takeWord(found, stream))
    return 0;
  /* The legacy stream, as a `CUstream`. */
  if (!*stream)
    *stream = 1;
  return 1;
}

/* Runs with the words of the arguments; the lock of the backend is held. */
static PyObject *runLocked(Call *self, PyObject *values,
                           const uint64_t *words) {
  uint64_t stream;
  if (!isUsual(self)) {
    if (PyErr_Occurred())
      return NULL;
    Py_RETURN_NONE;
  }
  if (!readStream(self, &stream))
    return NULL;
  memcpy(self->arguments, words, self->num_words * sizeof(*words));
  self->is_busy = 1;
  self->thread = PyEval_SaveThread();
  int status = self->run(self->executable, self->arguments, self->results,
                         (void *)(uintptr_t)stream);
  PyThreadState *thread = self->thread;
  self->thread = NULL;
  PyEval_RestoreThread(thread);
  PyObject *found = NULL;
  if (!status) {
    found = readResults(self, values);
  } else if (self->error[0]) {
    PyErr_Restore(self->error[0], self->error[1], self->error[2]);
    memset(self->error, 0, sizeof(self->error));
  } else {
    /* Raises. */
    found = PyObject_CallNoArgs(self->fail);
    Py_CLEAR(found);
  }
  /* An object that is freed may run code of the user. */
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  forget(self);
  self->is_busy = 0;
  PyErr_Restore(type, value, trace);
  return found;
}

static PyObject *run(PyObject *object, PyObject *given) {
  Call *self = (Call *)object;
  uint64_t words[MAX_WORDS];
  if (!self->is_ready)
    Py_RETURN_NONE;
  PyObject *values = PySequence_Tuple(given);
  if (!values)
    return NULL;
  PyObject *found = NULL;
  int state = readValues(self, values, words);
  if (state == 1) {
    PyObject *held = PyObject_CallNoArgs(self->acquire);
    if (held) {
      Py_DECREF(held);
      found = runLocked(self, values, words);
      PyObject *type, *value, *trace;
      PyErr_Fetch(&type, &value, &trace);
      Py_XDECREF(PyObject_CallNoArgs(self->release));
      PyErr_Restore(type, value, trace);
    }
  } else if (state == 0) {
    found = Py_None;
    Py_INCREF(found);
  }
  Py_DECREF(values);
  return found;
}

/*===----------------------------------------------------------------------===*\
|* The class                                                                  *|
\*===----------------------------------------------------------------------===*/

/* All references of a call, but for those of parameters, results and blocks. */
static PyObject **references(Call *self, Py_ssize_t number) {
  PyObject **all[] = {
      &self->allocate, &self->free,     &self->owner,    &self->acquire,
      &self->release,  &self->dead,     &self->bury,     &self->names,
      &self->forks,    &self->kinds,    &self->no_forks, &self->index,
      &self->stream,   &self->bytes,    &self->empty,    &self->current,
      &self->part,     &self->other,    &self->number,   &self->fail,
      &self->array,    &self->error[0], &self->error[1], &self->error[2]};
  Py_ssize_t count = sizeof(all) / sizeof(*all);
  return number < count ? all[number] : NULL;
}

static int traverse(PyObject *object, visitproc visit, void *arg) {
  Call *self = (Call *)object;
  PyObject **reference;
  Py_VISIT(Py_TYPE(object));
  for (Py_ssize_t n = 0; (reference = references(self, n)); ++n)
    Py_VISIT(*reference);
  for (Py_ssize_t n = 0; n < self->num_parameters; ++n)
    Py_VISIT(self->parameters[n].dtype);
  for (Py_ssize_t n = 0; n < self->num_results; ++n) {
    Py_VISIT(self->slots[n].element);
    Py_VISIT(self->slots[n].dtype);
    Py_VISIT(self->slots[n].make);
  }
  for (Py_ssize_t n = 0; n < self->num_blocks; ++n)
    Py_VISIT(self->blocks[n].object);
  for (int n = 0; n < MAX_KNOWN; ++n) {
    Py_VISIT(self->known[n].shape);
    Py_VISIT(self->known[n].strides);
  }
  return 0;
}

static int clear(PyObject *object) {
  Call *self = (Call *)object;
  PyObject **reference;
  self->is_ready = 0;
  forget(self);
  for (Py_ssize_t n = 0; (reference = references(self, n)); ++n)
    Py_CLEAR(*reference);
  for (Py_ssize_t n = 0; n < self->num_parameters; ++n)
    Py_CLEAR(self->parameters[n].dtype);
  for (Py_ssize_t n = 0; n < self->num_results; ++n) {
    Py_CLEAR(self->slots[n].element);
    Py_CLEAR(self->slots[n].dtype);
    Py_CLEAR(self->slots[n].make);
  }
  for (int n = 0; n < MAX_KNOWN; ++n) {
    self->known[n].result = -1;
    Py_CLEAR(self->known[n].shape);
    Py_CLEAR(self->known[n].strides);
  }
  return 0;
}

static void deallocate(PyObject *object) {
  Call *self = (Call *)object;
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clear(object);
  PyMem_Free(self->parameters);
  PyMem_Free(self->checks);
  PyMem_Free(self->slots);
  PyMem_Free(self->blocks);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

static PyObject *create(PyTypeObject *type, PyObject *given, PyObject *names) {
  static char *keywords[] = {"allocate", "free", NULL};
  PyObject *functions[2];
  if (!PyArg_ParseTupleAndKeywords(given, names, "OO", keywords, functions,
                                   functions + 1))
    return NULL;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Call *self = (Call *)make(type, 0);
  if (!self)
    return NULL;
  for (int n = 0; n < MAX_KNOWN; ++n)
    self->known[n].result = -1;
  Py_INCREF(self->allocate = functions[0]);
  Py_INCREF(self->free = functions[1]);
  return (PyObject *)self;
}

/* Reads the items of a tuple of tuples. */
static int parseParameters(Call *self, PyObject *items) {
  self->num_words = 0;
  for (Py_ssize_t n = 0; n < PyTuple_Size(items); ++n) {
    Parameter *parameter = self->parameters + n;
    int kind, rank, code, bits;
    if (!PyArg_ParseTuple(PyTuple_GetItem(items, n), "CiOiip", &kind, &rank,
                          &parameter->dtype, &code, &bits,
                          &parameter->is_written)) {
      parameter->dtype = NULL;
      return 0;
    }
    Py_INCREF(parameter->dtype);
    parameter->kind = (char)kind;
    parameter->rank = rank;
    parameter->code = (uint8_t)code;
    parameter->bits = (uint8_t)bits;
    self->num_parameters = n + 1;
    self->num_words += 1 + rank;
  }
  return 1;
}

static int parseChecks(Call *self, PyObject *items) {
  for (Py_ssize_t n = 0; n < PyTuple_Size(items); ++n) {
    int kind;
    long long value;
    if (!PyArg_ParseTuple(PyTuple_GetItem(items, n), "inL", &kind,
                          &self->checks[n].word, &value))
      return 0;
    self->checks[n].kind = kind;
    self->checks[n].value = value;
  }
  self->num_checks = PyTuple_Size(items);
  return 1;
}

static int parseResults(Call *self, PyObject *items) {
  for (Py_ssize_t n = 0; n < PyTuple_Size(items); ++n) {
    Result *slot = self->slots + n;
    unsigned long long size;
    PyObject *element, *dtype, *make;
    if (!PyArg_ParseTuple(PyTuple_GetItem(items, n), "iKOOO", &slot->rank,
                          &size, &element, &dtype, &make))
      return 0;
    slot->size = size;
    Py_INCREF(slot->element = element);
    Py_INCREF(slot->dtype = dtype);
    Py_INCREF(slot->make = make);
    self->num_results = n + 1;
  }
  return 1;
}

/* Describes the program; see `fast_calls.py`. False without an exception if
 * this module does not call such programs. */
static PyObject *prepare(PyObject *object, PyObject *given, PyObject *names) {
  static char *keywords[] = {
      "is_torch", "run",    "executable", "arguments", "results", "parameters",
      "checks",   "slots",  "exchange",   "device",    "owner",   "acquire",
      "release",  "dead",   "bury",       "names",     "forks",   "kinds",
      "index",    "stream", "bytes",      "empty",     "current", "part",
      "other",    "number", "fail",       "array",     NULL};
  Call *self = (Call *)object;
  unsigned long long addresses[4];
  PyObject *parameters, *checks, *slots, *exchange;
  PyObject *owner, *acquire, *unlock, *dead, *bury, *module, *forks, *kinds,
      *index, *stream, *bytes, *empty, *current, *part, *other, *number, *fail,
      *array;
  int is_torch;
  /* Another program with this text has other checks. */
  if (self->is_ready || self->parameters)
    Py_RETURN_FALSE;
  if (!PyArg_ParseTupleAndKeywords(
          given, names, "pKKKKO!O!O!O(ii)OOOOOO!OO!OOOOOOOOOO", keywords,
          &is_torch, addresses, addresses + 1, addresses + 2, addresses + 3,
          &PyTuple_Type, &parameters, &PyTuple_Type, &checks, &PyTuple_Type,
          &slots, &exchange, &self->device_type, &self->device_id, &owner,
          &acquire, &unlock, &dead, &bury, &PyDict_Type, &module, &forks,
          &PyTuple_Type, &kinds, &index, &stream, &bytes, &empty, &current,
          &part, &other, &number, &fail, &array))
    return NULL;
  if (exchange != Py_None) {
    self->exchange = PyCapsule_GetPointer(exchange, "dlpack_exchange_api");
    if (!self->exchange)
      return NULL;
    if (self->exchange->major != 1 || !self->exchange->describe)
      self->exchange = NULL;
  }
  self->parameters =
      PyMem_Calloc(PyTuple_Size(parameters) + 1, sizeof(Parameter));
  self->checks = PyMem_Calloc(PyTuple_Size(checks) + 1, sizeof(Check));
  self->slots = PyMem_Calloc(PyTuple_Size(slots) + 1, sizeof(Result));
  if (!self->parameters || !self->checks || !self->slots)
    return PyErr_NoMemory();
  if (!parseParameters(self, parameters) || !parseChecks(self, checks) ||
      !parseResults(self, slots))
    return NULL;
  for (Py_ssize_t n = 0; n < self->num_results; ++n)
    if (self->slots[n].rank > MAX_RANK)
      Py_RETURN_FALSE;
  if (self->num_words > MAX_WORDS)
    Py_RETURN_FALSE;
  self->is_torch = is_torch;
  self->run = (Run)(uintptr_t)addresses[0];
  self->executable = (void *)(uintptr_t)addresses[1];
  self->arguments = (uint64_t *)(uintptr_t)addresses[2];
  self->results = (uint64_t *)(uintptr_t)addresses[3];
  struct {
    PyObject **to, *from;
  } all[] = {{&self->owner, owner},
             {&self->acquire, acquire},
             {&self->release, unlock},
             {&self->dead, dead},
             {&self->bury, bury},
             {&self->names, module},
             {&self->forks, forks},
             {&self->kinds, kinds},
             {&self->index, index},
             {&self->stream, stream},
             {&self->bytes, bytes},
             {&self->empty, empty},
             {&self->current, current},
             {&self->part, part},
             {&self->other, other},
             {&self->number, number},
             {&self->fail, fail},
             {&self->array, array},
             {&self->no_forks, PyDict_GetItemWithError(module, forks)}};
  for (size_t n = 0; n < sizeof(all) / sizeof(*all); ++n) {
    *all[n].to = all[n].from;
    Py_XINCREF(all[n].from);
  }
  self->is_ready = 1;
  Py_RETURN_TRUE;
}

static PyObject *getAddress(PyObject *object, void *unused) {
  (void)unused;
  return PyLong_FromVoidPtr(object);
}

static PyMethodDef methods[] = {
    {"prepare", (PyCFunction)(void (*)(void))prepare,
     METH_VARARGS | METH_KEYWORDS,
     "Describe the program. Return False if this module cannot call it."},
    {"run", run, METH_O,
     "Run the program. Return its results, or None if the values have another "
     "form."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef properties[] = {
    {"address", getAddress, NULL, "The word `user` of the callbacks.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots_of_call[] = {
    {Py_tp_doc, "A program on a GPU, for the arrays of one framework."},
    {Py_tp_new, create},
    {Py_tp_dealloc, deallocate},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, NULL}};
static PyType_Spec spec_of_call = {"obsidian_accelerator.Call", sizeof(Call), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                   slots_of_call};

/*===----------------------------------------------------------------------===*\
|* Functions                                                                  *|
\*===----------------------------------------------------------------------===*/

/* The work of a function with @obs.jit for a call that is the same as the last
 * one but for its arguments. */
typedef struct {
  PyObject_HEAD PyObject *call;
  /* The state of the thread, whose `trace` is None unless it traces. */
  PyObject *state;
  /* The captured values that may change, as tuples (names, name, value) and
   * (name, cell, value). A builtin has no value in the names of the module. */
  PyObject *globals, *cells;
  /* The class of results in arguments, and the function of all values and
   * results that makes the value of the function. */
  PyObject *foreign, *finish;
  /* If the results are no such objects: 1 if there is one result, 2 if they
   * are a tuple, and 0 for all other values. */
  int form;
} Entry;

static PyObject *name_of_trace, *name_of_cell_contents;

/* 1 if the captured values are those of the program. */
static int areSame(const Entry *self) {
  int found = 1;
  for (Py_ssize_t n = 0; found == 1 && n < PyList_Size(self->globals); ++n) {
    PyObject *item = PyList_GetItem(self->globals, n);
    PyObject *value = PyDict_GetItemWithError(PyTuple_GetItem(item, 0),
                                              PyTuple_GetItem(item, 1));
    if (value != (PyTuple_Size(item) == 3 ? PyTuple_GetItem(item, 2) : NULL))
      found = PyErr_Occurred() ? -1 : 0;
  }
  for (Py_ssize_t n = 0; found == 1 && n < PyList_Size(self->cells); ++n) {
    PyObject *item = PyList_GetItem(self->cells, n);
    found = takeIs(
        PyObject_GetAttr(PyTuple_GetItem(item, 1), name_of_cell_contents),
        PyTuple_GetItem(item, 2));
    /* An empty cell. */
    if (found < 0 && PyErr_ExceptionMatches(PyExc_ValueError)) {
      PyErr_Clear();
      found = 0;
    }
  }
  return found;
}

static PyObject *enter(PyObject *object, PyObject *values) {
  Entry *self = (Entry *)object;
  int state =
      self->call ? takeIs(PyObject_GetAttr(self->state, name_of_trace), Py_None)
                 : 0;
  if (state == 1)
    state = areSame(self);
  if (state < 0)
    return NULL;
  if (state == 0)
    Py_RETURN_NONE;
  PyObject *found = run(self->call, values);
  if (!found || found == Py_None)
    return found;
  PyObject *value = NULL;
  int form = self->form;
  for (Py_ssize_t n = 0; form && n < PyList_Size(found); ++n)
    if ((PyObject *)Py_TYPE(PyList_GetItem(found, n)) == self->foreign)
      form = 0;
  if (form == 1) {
    value = PyList_GetItem(found, 0);
    Py_XINCREF(value);
  } else if (form == 2) {
    value = PyList_AsTuple(found);
  } else {
    value = PyObject_CallFunctionObjArgs(self->finish, values, found, NULL);
  }
  Py_DECREF(found);
  return value;
}

static PyObject **partsOf(Entry *self, Py_ssize_t number) {
  PyObject **all[] = {&self->call,  &self->state,   &self->globals,
                      &self->cells, &self->foreign, &self->finish};
  Py_ssize_t count = sizeof(all) / sizeof(*all);
  return number < count ? all[number] : NULL;
}

static int traverseEntry(PyObject *object, visitproc visit, void *arg) {
  PyObject **part;
  Py_VISIT(Py_TYPE(object));
  for (Py_ssize_t n = 0; (part = partsOf((Entry *)object, n)); ++n)
    Py_VISIT(*part);
  return 0;
}

static int clearEntry(PyObject *object) {
  PyObject **part;
  for (Py_ssize_t n = 0; (part = partsOf((Entry *)object, n)); ++n)
    Py_CLEAR(*part);
  return 0;
}

static void deallocateEntry(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clearEntry(object);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

static PyTypeObject *type_of_call;

static PyObject *createEntry(PyTypeObject *type, PyObject *given,
                             PyObject *names) {
  static char *keywords[] = {"call",    "state",  "globals", "cells",
                             "foreign", "finish", "form",    NULL};
  PyObject *parts[6];
  int form;
  if (!PyArg_ParseTupleAndKeywords(given, names, "O!OO!O!OOi", keywords,
                                   type_of_call, parts, parts + 1, &PyList_Type,
                                   parts + 2, &PyList_Type, parts + 3,
                                   parts + 4, parts + 5, &form))
    return NULL;
  allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Entry *self = (Entry *)make(type, 0);
  if (!self)
    return NULL;
  for (int n = 0; n < 6; ++n)
    Py_INCREF(*partsOf(self, n) = parts[n]);
  self->form = form;
  return (PyObject *)self;
}

static PyMethodDef methods_of_entry[] = {
    {"run", enter, METH_O,
     "Call the function. Return its value, or None if the call is another "
     "one."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots_of_entry[] = {
    {Py_tp_doc, "A function, for calls that are the same but for arguments."},
    {Py_tp_new, createEntry},
    {Py_tp_dealloc, deallocateEntry},
    {Py_tp_traverse, traverseEntry},
    {Py_tp_clear, clearEntry},
    {Py_tp_methods, methods_of_entry},
    {0, NULL}};
static PyType_Spec spec_of_entry = {"obsidian_accelerator.Entry", sizeof(Entry),
                                    0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                    slots_of_entry};

/*===----------------------------------------------------------------------===*\
|* The module                                                                 *|
\*===----------------------------------------------------------------------===*/

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    "obsidian_accelerator",
    "Calls of the package obsidian on a GPU, with less overhead.",
    -1,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL};

PyMODINIT_FUNC PyInit_obsidian_accelerator(void) {
  struct {
    PyObject **object;
    const char *text;
  } names[] = {{&name_of_dtype, "dtype"},
               {&name_of_shape, "shape"},
               {&name_of_data, "data"},
               {&name_of_ptr, "ptr"},
               {&name_of_flags, "flags"},
               {&name_of_device_id, "device_id"},
               {&name_of_c_contiguous, "c_contiguous"},
               {&name_of_get_device, "get_device"},
               {&name_of_is_contiguous, "is_contiguous"},
               {&name_of_is_neg, "is_neg"},
               {&name_of_data_ptr, "data_ptr"},
               {&name_of_requires_grad, "requires_grad"},
               {&name_of_detach, "detach"},
               {&name_of_trace, "trace"},

               {&name_of_cell_contents, "cell_contents"}};
  for (size_t n = 0; n < sizeof(names) / sizeof(*names); ++n)
    if (!(*names[n].object = PyUnicode_InternFromString(names[n].text)))
      return NULL;
  PyObject *made = PyModule_Create(&module);
  if (!made)
    return NULL;
  PyObject *call = PyType_FromSpec(&spec_of_call);
  PyObject *entry = PyType_FromSpec(&spec_of_entry);
  if (!call || PyModule_AddObjectRef(made, "Call", call) < 0 || !entry ||
      PyModule_AddObjectRef(made, "Entry", entry) < 0 ||
      PyModule_AddIntConstant(made, "VERSION", VERSION) < 0 ||
      PyModule_AddObject(made, "ALLOCATE",
                         PyLong_FromVoidPtr((void *)(uintptr_t)allocate)) < 0 ||
      PyModule_AddObject(made, "FREE",
                         PyLong_FromVoidPtr((void *)(uintptr_t)release)) < 0)
    Py_CLEAR(made);
  /* Kept: the module is never unloaded. */
  type_of_call = (PyTypeObject *)call;
  Py_XDECREF(entry);
  return made;
}
