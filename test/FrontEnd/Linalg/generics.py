"""Random operations `linalg.generic` on integers, against loops in NumPy.

Usage: generics.py OBS-RUN SEED COUNT [OBS-RUN OPTION ...]

Each operation has 1 to 4 dimensions, index maps that permute, project and add dimensions, a random
function of elements, and 1 or 2 results, which an associative operator or another one updates.
"""

import concurrent.futures
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

BINARY = {"addi": np.add, "subi": np.subtract, "muli": np.multiply, "andi": np.bitwise_and,
          "ori": np.bitwise_or, "xori": np.bitwise_xor, "maxsi": np.maximum, "minsi": np.minimum}
EXTENTS = (0, 1, 1, 2, 3, 4, 5, 7, 33, 40, 300)


class Generic:
    """One operation: its text, its arguments and its results."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        r = self.r
        rank = r.randint(1, 4)
        while True:
            self.extents = [r.choice(EXTENTS) for _ in range(rank)]
            if np.prod(self.extents) <= 20000:
                break
        self.kinds = [r.choice("ppr") for _ in range(rank)]
        self.dynamic = r.random() < 0.5
        self.kept = [d for d in range(rank) if self.kinds[d] == "p"]
        self.reduced = [d for d in range(rank) if self.kinds[d] == "r"]
        self.inputs, self.arrays = [], []
        for _ in range(r.randint(1, 3)):
            dims = r.sample(range(rank), r.randint(0, rank))
            self.add_input([self.expression(d) for d in dims])
        outputs = r.randint(1, 2)
        self.outputs = [r.sample(self.kept, len(self.kept)) for _ in range(outputs)]
        alone = set(self.kept) | {e[0] for exprs in self.inputs for e in exprs if e[1:] == (None, 1, 0)}
        missing = [d for d in range(rank) if d not in alone]
        if missing:
            self.add_input([(d, None, 1, 0) for d in missing])
        self.first = [self.ints([self.extents[d] for d in dims]) for dims in self.outputs]
        self.is_filled = [r.random() < 0.4 for _ in self.outputs]
        for first, filled in zip(self.first, self.is_filled):
            if filled:
                first[...] = 7
        self.build_body()

    def ints(self, shape):
        return self.numbers.integers(-100, 100, shape, np.int32)

    def expression(self, d):
        """The index `d * factor + other + constant`; upstream refuses empty sums."""
        if self.r.random() < 0.7 or 0 in self.extents:
            return d, None, 1, 0
        other = self.r.choice([None, *range(len(self.extents))])
        return d, other if other != d else None, self.r.choice((1, 1, 2)), self.r.choice((0, 0, 1))

    def add_input(self, exprs):
        shape = [(self.extents[d] - 1) * factor + constant + 1
                 + (self.extents[e] - 1 if e is not None else 0)
                 for d, e, factor, constant in exprs]
        self.inputs.append(exprs)
        self.arrays.append(self.ints(shape))

    def build_body(self):
        """Lines, and the value of each name as a function of the values of the arguments."""
        r = self.r
        self.lines, names = [], [f"%x{k}" for k in range(len(self.inputs))]
        self.steps = []
        for _ in range(r.randint(0, 3)):
            if r.random() < 0.2:
                d, name = r.randrange(len(self.extents)), f"%t{len(self.steps)}"
                self.lines += [f"{name}i = linalg.index {d} : index",
                               f"{name} = arith.index_cast {name}i : index to i32"]
                self.steps.append((name, "index", d, None))
            else:
                op, a, b = r.choice(sorted(BINARY)), r.choice(names), r.choice(names)
                name = f"%t{len(self.steps)}"
                self.lines.append(f"{name} = arith.{op} {a}, {b} : i32")
                self.steps.append((name, op, a, b))
            names.append(name)
        self.updates = []
        for k in range(len(self.outputs)):
            element, kind = r.choice(names), r.random()
            op = r.choice([o for o in sorted(BINARY) if o != "subi"])
            if not self.reduced and kind < 0.5:
                op, yielded = None, element
            elif kind < 0.75:
                pair = [f"%o{k}", element] if r.random() < 0.5 else [element, f"%o{k}"]
                self.lines.append(f"%u{k} = arith.{op} {pair[0]}, {pair[1]} : i32")
                yielded = f"%u{k}"
            else:
                # Not associative, and perhaps of the other result.
                other = r.randrange(len(self.outputs))
                op = f"mixed {other}"
                self.lines += [f"%c{k} = arith.constant 3 : i32",
                               f"%m{k} = arith.muli %o{other}, %c{k} : i32",
                               f"%u{k} = arith.subi {element}, %m{k} : i32"]
                yielded = f"%u{k}"
            self.updates.append((op, element, yielded))

    def type(self, shape):
        return "tensor<" + "".join(("?" if self.dynamic else str(n)) + "x" for n in shape) + "i32>"

    def text(self):
        dims = ", ".join(f"d{d}" for d in range(len(self.extents)))

        def write(e):
            d, other, factor, constant = e
            return (f"d{d}" + (f" * {factor}" if factor > 1 else "")
                    + (f" + d{other}" if other is not None else "") + (f" + {constant}" if constant else ""))
        maps = [f"affine_map<({dims}) -> ({', '.join(map(write, exprs))})>" for exprs in self.inputs]
        maps += [f"affine_map<({dims}) -> ({', '.join(f'd{d}' for d in out)})>" for out in self.outputs]
        kinds = ", ".join('"parallel"' if k == "p" else '"reduction"' for k in self.kinds)
        ins = [self.type(a.shape) for a in self.arrays]
        outs = [self.type(f.shape) for f in self.first]
        given = [k for k, filled in enumerate(self.is_filled) if not filled]
        parameters = [f"%a{k}: {t}" for k, t in enumerate(ins)] + [f"%f{k}: {outs[k]}" for k in given]
        lines = [f"func.func @main({', '.join(parameters)}) -> ({', '.join(outs)}) {{"]
        for k, filled in enumerate(self.is_filled):
            if filled:
                sizes = [f"%n{k}_{d}" for d in range(self.first[k].ndim)] if self.dynamic else []
                lines += [f"  {size} = arith.constant {n} : index"
                          for size, n in zip(sizes, self.first[k].shape)]
                lines += [f"  %e{k} = tensor.empty({', '.join(sizes)}) : {outs[k]}",
                          f"  %s{k} = arith.constant 7 : i32",
                          f"  %f{k} = linalg.fill ins(%s{k} : i32) outs(%e{k} : {outs[k]}) -> {outs[k]}"]
        arguments = [f"%x{k}: i32" for k in range(len(ins))] + [f"%o{k}: i32" for k in range(len(outs))]
        yielded = [u[2] for u in self.updates]
        count = f":{len(outs)}" if len(outs) > 1 else ""
        lines += [(f"  %r{count} = linalg.generic {{indexing_maps = [{', '.join(maps)}],"
                  f" iterator_types = [{kinds}]}}"),
                  (f"    ins({', '.join(f'%a{k}' for k in range(len(ins)))} : {', '.join(ins)})"
                  f" outs({', '.join(f'%f{k}' for k in range(len(outs)))} : {', '.join(outs)}) {{"),
                  f"  ^bb0({', '.join(arguments)}):", *("    " + line for line in self.lines),
                  f"    linalg.yield {', '.join(yielded)} : {', '.join('i32' for _ in outs)}",
                  f"  }} -> {outs[0] if len(outs) == 1 else '(' + ', '.join(outs) + ')'}"]
        results = [f"%r#{k}" for k in range(len(outs))] if len(outs) > 1 else ["%r"]
        return "\n".join([*lines, f"  return {', '.join(results)} : {', '.join(outs)}", "}", ""])

    def expected(self):
        """Each dimension is an axis; those that are reduced are iterated in order."""
        index = np.indices(self.extents)
        values = {}
        for k, (exprs, array) in enumerate(zip(self.inputs, self.arrays)):
            place = tuple(index[d] * factor + constant + (index[e] if e is not None else 0)
                          for d, e, factor, constant in exprs)
            values[f"%x{k}"] = np.broadcast_to(array[place], self.extents)
        for name, op, a, b in self.steps:
            values[name] = (index[a].astype(np.int32) if op == "index"
                            else BINARY[op](values[a], values[b]))
        kept = [self.extents[d] for d in self.kept]
        total = [first.transpose([out.index(d) for d in self.kept])
                 for first, out in zip(self.first, self.outputs)]
        rows = {name: value.transpose(self.kept + self.reduced).reshape(*kept, -1)
                if value.size else np.zeros((*kept, 0), np.int32) for name, value in values.items()}
        count = int(np.prod([self.extents[d] for d in self.reduced]))
        for t in range(count):
            before = list(total)
            for k, (op, element, _) in enumerate(self.updates):
                if 0 in kept:
                    continue
                e = rows[element][..., t]
                if op is None:
                    total[k] = e
                elif op.startswith("mixed"):
                    total[k] = e - np.int32(3) * before[int(op.split()[1])]
                else:
                    total[k] = BINARY[op](before[k], e)
        return [np.atleast_1d(t.transpose([self.kept.index(d) for d in out])) if out else np.atleast_1d(t)
                for t, out in zip(total, self.outputs)]


def run(tool, options, folder, seed):
    generic = Generic(seed)
    folder.mkdir()
    (folder / "program.mlir").write_text(generic.text())
    command = [tool, folder / "program.mlir", *options]
    given = [f for f, filled in zip(generic.first, generic.is_filled) if not filled]
    for k, array in enumerate([*generic.arrays, *given]):
        np.save(folder / f"a{k}.npy", np.atleast_1d(array))
        command.append(folder / f"a{k}.npy")
    with np.errstate(all="ignore"):
        expected = generic.expected()
    for k in range(len(expected)):
        command.append(f"--out={folder / f'r{k}.npy'}")
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    if ran.returncode:
        return f"seed {seed}: {ran.stderr}\n{generic.text()}"
    for k, value in enumerate(expected):
        found = np.load(folder / f"r{k}.npy")
        if found.shape != value.shape or not np.array_equal(found, value):
            return f"seed {seed}: result {k} is\n{found}\nnot\n{value}\n{generic.text()}"
    return None


def main():
    tool, seed, count, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(run, tool, options, pathlib.Path(folder) / str(k), int(seed) + k)
                   for k in range(int(count))]
        wrong = [text for text in (future.result() for future in futures) if text]
    print("\n".join(wrong[:5]))
    print(f"{count} programs, {len(wrong)} wrong")
    sys.exit(bool(wrong))


main()
