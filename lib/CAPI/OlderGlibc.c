/*===- OlderGlibc.c - What glibc 2.28 does not have
------------------------===*\
|*                                                                            *|
|* Part of the Obsidian project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* The archives of LLVM and libstdc++ were compiled for a newer glibc and use
 * four symbols that glibc 2.28 does not have. The library in the wheel is
 * linked for 2.28 together with this file, which only scripts/build-wheel.py
 * compiles. */

#define _GNU_SOURCE
#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* Since 2.36: random bits. */
HIDDEN uint32_t arc4random(void) {
  uint32_t bits = 0;
  if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
    __builtin_trap();
  return bits;
}

/* Since 2.32: whether there is one thread only, which libstdc++ may use to
 * count references faster. */
HIDDEN char __libc_single_threaded = 0;

/* Since 2.33: mallinfo with wide numbers, for statistics of LLVM. */
struct wide_mallinfo {
  size_t numbers[10];
};
HIDDEN struct wide_mallinfo wide_mallinfo(void) __asm__("mallinfo2");
HIDDEN struct wide_mallinfo wide_mallinfo(void) {
  struct mallinfo narrow = mallinfo();
  const int numbers[10] = {narrow.arena,   narrow.ordblks,  narrow.smblks,
                           narrow.hblks,   narrow.hblkhd,   narrow.usmblks,
                           narrow.fsmblks, narrow.uordblks, narrow.fordblks,
                           narrow.keepcost};
  struct wide_mallinfo wide;
  for (int i = 0; i < 10; ++i)
    wide.numbers[i] = (unsigned)numbers[i];
  return wide;
}

/* Since 2.35: the loaded object that holds an address, for unwinding. */
struct found_object {
  unsigned long long flags;
  void *begin, *end;
  struct link_map *map;
  void *frames;
  unsigned long long reserved[7];
};
struct search {
  uintptr_t address;
  struct found_object *result;
};

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  struct search *search = data;
  uintptr_t begin = 0, end = 0;
  void *frames = NULL;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && search->address >= start &&
        search->address - start < header->p_memsz) {
      begin = start;
      end = start + header->p_memsz;
    }
    if (header->p_type == PT_GNU_EH_FRAME)
      frames = (void *)start;
  }
  if (!begin || !frames)
    return 0;
  search->result->flags = 0;
  search->result->begin = (void *)begin;
  search->result->end = (void *)end;
  search->result->map = NULL;
  search->result->frames = frames;
  return 1;
}

HIDDEN int find_object(void *address,
                       struct found_object *result) __asm__("_dl_find_object");
HIDDEN int find_object(void *address, struct found_object *result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(visit, &search) ? 0 : -1;
}
