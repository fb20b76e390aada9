"""Writes a lowered program whose kernel does random index arithmetic around the edges of 32 bits.

Usage: random-indices.py SEED > FILE

Nothing in it is undefined: divisors are positive, shifts less than 64. It stores every value it computes.
"""

import random
import sys

EDGES = [0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 255, 2**16, 2**31 - 2, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1,
         2**32, 2**32 + 1, 2**33, -1, -2, -3, -2**31 + 1, -2**31, -2**31 - 1, -2**32]
# Loops do not count around the ends.
ENDS = [-2**63, -2**63 + 1, 2**62, 2**63 - 1]
RING = ["addi", "subi", "muli", "andi", "ori", "xori"]
DIVISIONS = {"divui": "maxui", "remui": "maxui", "ceildivui": "maxui",
             "divsi": "maxsi", "remsi": "maxsi", "ceildivsi": "maxsi", "floordivsi": "maxsi"}
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
THREADS, BLOCKS, VALUES = 64, 3, 60


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.values, self.count = [], [], 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, text):
        result = self.name()
        self.lines.append(f"{result} = {text}")
        return result

    def constant(self, value):
        return self.op(f"arith.constant {value} : index")

    def some(self):
        return self.random.choice(self.values[-12:] if self.random.random() < 0.7 else self.values)

    def small(self):
        """A value that is likely to fit."""
        bound = self.random.choice([1, 31, 63, 255, 2**31 - 1, 2**32 - 1])
        return self.op("arith.{} {}, {} : index".format(self.random.choice(["andi", "minui"]), self.some(), self.constant(bound)))

    def condition(self):
        return self.op(f"arith.cmpi {self.random.choice(PREDICATES)}, {self.some()}, {self.some()} : index")

    def loaded(self):
        """Anything that 32 bits hold, with and without a sign."""
        number = self.op("memref.load %view[{}] : memref<?xi32>".format(self.random.choice(["%t", "%c7"])))
        return self.op("arith.{} {} : i32 to index".format(self.random.choice(["index_cast", "index_castui"]), number))

    def loop(self):
        first = self.constant(self.random.choice(EDGES))
        step = self.random.choice([1, 2, 7, 2**31 - 1])
        last = self.op(f"arith.addi {first}, {self.constant(step * self.random.randint(0, 3))} : index")
        by, start = self.constant(step), self.some()
        if step == 7:
            by = "%g"
        elif step == 2:
            by = self.op("arith.maxui {}, %c1 : index".format(self.op(f"arith.minui {self.some()}, %c7 : index")))
        carried, index, result = self.name(), self.name(), self.name()
        self.lines.append(f"{result} = scf.for {index} = {first} to {last} step {by} iter_args({carried} = {start}) -> (index) {{")
        outer = list(self.values)
        self.values += [index, carried, carried, index]
        for _ in range(self.random.randint(1, 4)):
            self.values.append(self.straight())
        self.lines.append(f"scf.yield {self.values[-1]} : index }}")
        self.values = outer
        return result

    def branch(self):
        condition, result = self.condition(), self.name()
        self.lines.append(f"{result} = scf.if {condition} -> (index) {{")
        outer = list(self.values)
        self.values.append(self.straight())
        self.lines.append(f"scf.yield {self.values[-1]} : index }} else {{")
        self.values = list(outer)
        self.values.append(self.straight())
        self.lines.append(f"scf.yield {self.values[-1]} : index }}")
        self.values = outer
        return result

    def halving(self):
        start, result, value = self.small(), self.name(), self.name()
        two = self.constant(self.random.choice([2, 3]))
        self.lines.append(f"{result} = scf.while ({value} = {start}) : (index) -> index {{")
        half = self.op(f"arith.divui {value}, {two} : index")
        more = self.op(f"arith.cmpi ugt, {half}, {two} : index")
        after = self.name()
        self.lines.append(f"scf.condition({more}) {half} : index }} do {{ ^bb0({after}: index):")
        self.lines.append(f"scf.yield {after} : index }}")
        return result

    def straight(self):
        kind = self.random.random()
        if kind < 0.15:
            return self.small()
        if kind < 0.2:
            return self.loaded()
        if kind < 0.25:
            return self.constant(self.random.choice(EDGES + ENDS))
        if kind < 0.5:
            return self.op(f"arith.{self.random.choice(RING)} {self.some()}, {self.some()} : index")
        if kind < 0.6:
            name = self.random.choice(["minui", "maxui", "minsi", "maxsi"])
            return self.op(f"arith.{name} {self.some()}, {self.some()} : index")
        if kind < 0.75:
            name, limit = self.random.choice(list(DIVISIONS.items()))
            divisor = self.op("arith.{} {}, {} : index".format(limit, self.some(), "%c1"))
            return self.op(f"arith.{name} {self.some()}, {divisor} : index")
        if kind < 0.85:
            mask = self.constant(self.random.choice([3, 31, 63]))
            amount = self.op(f"arith.andi {self.some()}, {mask} : index")
            name = self.random.choice(["shli", "shrui", "shrsi"])
            return self.op(f"arith.{name} {self.some()}, {amount} : index")
        if kind < 0.95:
            return self.op(f"arith.select {self.condition()}, {self.some()}, {self.some()} : index")
        bit = self.op(f"arith.extui {self.condition()} : i1 to i64")
        return self.op(f"arith.index_cast {bit} : i64 to index")

    def program(self):
        self.values = ["%t", "%b", "%g", "%lane", self.loaded(), self.loaded()]
        self.values += [self.constant(edge) for edge in self.random.sample(EDGES + ENDS, 5)]
        outer = []
        for _ in range(VALUES):
            make = self.random.choices([self.straight, self.loop, self.branch, self.halving], [10, 2, 2, 1])[0]
            value = make()
            self.values.append(value)
            outer.append(value)
        for i, value in enumerate(outer):
            number = self.op(f"arith.index_cast {value} : index to i64")
            self.lines.append(f"memref.store {number}, %results[%number, {self.constant(i)}] : memref<{THREADS * BLOCKS}x{VALUES}xi64>")
        total = THREADS * BLOCKS * VALUES
        return """module attributes {gpu.container_module} {
func.func @main(%%in: memref<?xi32>) -> memref<?xi64> {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%threads = arith.constant %d : index
  %%blocks = arith.constant %d : index
  %%total = arith.constant %d : index
  %%none = arith.constant 0 : i32
  %%n = memref.dim %%in, %%c0 : memref<?xi32>
  %%out = gpu.alloc (%%total) : memref<?xi64>
  %%from = memref.reinterpret_cast %%in to offset: [0], sizes: [], strides: [] : memref<?xi32> to memref<i32>
  %%to = memref.reinterpret_cast %%out to offset: [0], sizes: [], strides: [] : memref<?xi64> to memref<i64>
  gpu.launch_func @kernels::@k blocks in (%%blocks, %%c1, %%c1) threads in (%%threads, %%c1, %%c1)
      dynamic_shared_memory_size %%none args(%%from : memref<i32>, %%n : index, %%to : memref<i64>)
  return %%out : memref<?xi64>
}
gpu.module @kernels {
gpu.func @k(%%in: memref<i32>, %%n: index, %%out: memref<i64>) kernel
    attributes {known_block_size = array<i32: %d, 1, 1>} {
  %%c1 = arith.constant 1 : index
  %%c7 = arith.constant 7 : index
  %%threads = arith.constant %d : index
  %%view = memref.reinterpret_cast %%in to offset: [0], sizes: [%%n], strides: [1] : memref<i32> to memref<?xi32>
  %%results = memref.reinterpret_cast %%out to offset: [0], sizes: [%d, %d], strides: [%d, 1]
      : memref<i64> to memref<%dx%dxi64>
  %%t = gpu.thread_id x
  %%b = gpu.block_id x
  %%g = gpu.grid_dim x
  %%lane = gpu.lane_id
  %%first = arith.muli %%b, %%threads : index
  %%number = arith.addi %%first, %%t : index
  %s
  gpu.return
}
}
}""" % (THREADS, BLOCKS, total, THREADS, THREADS, THREADS * BLOCKS, VALUES, VALUES, THREADS * BLOCKS, VALUES,
            "\n  ".join(self.lines))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(Writer(int(sys.argv[1])).program())
