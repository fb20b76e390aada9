"""Random programs, and groups of them over the same inputs.

In: a seed, and the numbers of the programs. Out: the text of a module, its inputs, and the results that
Python computes. Only the seed and the number decide the text of a program.
"""

from __future__ import annotations

import pathlib
import random
from collections.abc import Sequence
from typing import Any

from fuzzing.compare import INTERPRET, THREADS, emulation
from fuzzing.model import Array, Dim, Env, Frame
from fuzzing.parts import Parts
from fuzzing.values import TYPES, constant, to_bytes
from fuzzing.writer import STATIC_LIMIT


class Program(Parts):
    """A function over the inputs of its group, and the steps that evaluate it."""

    def __init__(self, seed: str, number: int, inputs: list[Array], root: Frame) -> None:
        super().__init__(f"{seed}/{number}", f"p{number}", inputs, root)
        self.number = number
        self.build()

    def build(self) -> None:
        rng = self.rng
        if rng.random() < 0.5:
            self.statements(rng.randint(2, 5) if self.most == STATIC_LIMIT else 2)
        else:
            self.distribute(rng.randint(2, 5))
            self.statements(rng.randint(0, 1))
        new = [x for x in self.arrays[len(self.inputs) :] if x.frame is self.frame and x.size <= 15000]
        chosen = [x for x in new if x.name in self.stored][-4:] or new[-1:] or [self.generate()]
        # Each result has one element type, so that it is one file.
        for x in chosen:
            self.results += [x] if len(x.elements) == 1 else self.unzip(x)

    def statements(self, budget: int) -> None:
        for _ in range(budget):
            draw = self.rng.random()
            inner = max(1, budget // 2)
            if draw < 0.12:
                self.map()
            elif draw < 0.22:
                self.generate()
            elif draw < 0.4:
                self.rearranged()
            elif draw < 0.47:
                self.combined()
            elif draw < 0.56:
                self.store()
            elif draw < 0.64:
                self.fill()
            elif draw < 0.67:
                self.update()
            elif draw < 0.82:
                self.collective()
            elif draw < 0.87 and budget > 1:
                self.carry(inner)
            elif draw < 0.9 and budget > 1:
                self.choose(inner)
            elif budget > 1:
                self.distribute(inner)

    def text(self) -> str:
        arguments = ", ".join(f"{x.name}: {x.type}" for x in self.inputs)
        types = ", ".join(x.type for x in self.results)
        names = ", ".join(x.name for x in self.results)
        body = "\n".join(self.lines)
        return "".join(self.functions) + (
            f"func.func private @{self.title}({arguments}) -> ({types}) {{\n{body}\n"
            f"  return {names} : {types}\n}}\n"
        )

    def run(self, inputs: Env) -> list[list[Any]]:
        env = dict(inputs)
        for step in self.steps:
            step(env)
        return [[element[0] for element in env[x.name][0]] for x in self.results]


class Group:
    """Programs over the same inputs."""

    def __init__(self, seed: str, numbers: Sequence[int]) -> None:
        rng = self.rng = random.Random(seed)
        self.root = Frame("grid", None, [0])
        self.inputs: list[Array] = []
        self.values: Env = {}
        is_large = rng.random() < 0.06
        for k in range(8):
            rank = [1, 1, 1, 1, 2, 2, 3, 1][k]
            most = {1: 100, 2: 12, 3: 6}[rank]
            dims = tuple(
                Dim(rng.randint(1, most) if rng.random() < 0.97 else 0, rng.random() < 0.5)
                for _ in range(rank)
            )
            if is_large and rank == 1:
                dims = (Dim(rng.choice([4095, 4096, 4097, 5000, 8192, 9001]), rng.random() < 0.5),)
            count = 1 if k < 7 else 2
            elements = tuple(rng.choice(TYPES) for _ in range(count))
            array = Array(f"%in{k}", elements, dims, self.root)
            self.inputs.append(array)
            self.values[array.name] = [[tuple(constant(rng, t) for t in elements) for _ in range(array.size)]]
        self.programs = [Program(seed, number, self.inputs, self.root) for number in numbers]
        self.threads, self.blocks = rng.choice(THREADS), rng.choice([1, 2, 3, 7, 64])
        self.schedule = rng.randrange(1000) if rng.random() < 0.6 else None

    def program(self, number: int) -> Program:
        return next(program for program in self.programs if program.number == number)

    def module(self, programs: Sequence[Program], only: int | None = None) -> str:
        """The functions, and `main`, which calls them all. With `only` it returns that result alone."""
        arguments = ", ".join(f"{x.name}: {x.type}" for x in self.inputs)
        names, types, calls = [], [], []
        for program in programs:
            listed = ", ".join(x.type for x in program.results)
            results = [f"%{program.title}#{k}" for k in range(len(program.results))]
            calls.append(
                f"  %{program.title}:{len(results)} = func.call @{program.title}("
                f"{', '.join(x.name for x in self.inputs)}) : ({', '.join(x.type for x in self.inputs)}) "
                f"-> ({listed})"
            )
            names += results
            types += [x.type for x in program.results]
        if only is not None:
            names, types = [names[only]], [types[only]]
        head = f"func.func @main({arguments}) -> ({', '.join(types)}) {{"
        return (
            "".join(program.text() + "\n" for program in programs)
            + "\n".join([head, *calls, f"  return {', '.join(names)} : {', '.join(types)}", "}"])
            + "\n"
        )

    def write_inputs(self, folder: pathlib.Path) -> list[str]:
        """Writes a file for each input, and returns the arguments of obs-run for them."""
        arguments = []
        for x in self.inputs:
            for k, t in enumerate(x.elements):
                path = folder / f"{x.name[1:]}_{k}.bin"
                path.write_bytes(to_bytes((element[k] for element in self.values[x.name][0]), t))
                arguments.append(f"{path}:{'x'.join(map(str, x.shape))}x{t}")
        return arguments

    def launches(self) -> list[list[str]]:
        found = [INTERPRET, emulation(self.threads, self.blocks, self.schedule)]
        if self.schedule is None:
            # Without checks, arrays share memory, and loops of the host rotate their buffers.
            found.append(emulation(self.threads, self.blocks, None, has_checks=False))
        return found
