"""Classes and functions that properties are written with."""

from obstest import random_programs as rp

BOUND = 512  # of arrays whose extent is known at run time only; all warps have room for two


def extents(n, element="i32"):
    """Of an array of n elements; None: known at run time."""
    return f"? x {element} bound [{BOUND}]" if n is None else f"{n} x {element}"


def pull(n, element="i32"):
    return f"!obs.pull<{extents(n, element)}>"


def push(level, n, element="i32"):
    return f"!obs.push<{level}, {extents(n, element)}>"


class Module(rp.Text):
    """The text of one function, with the values of its arguments and results."""

    def __init__(self, large=False):
        super().__init__()
        self.arguments, self.results, self.large = [], [], large
        self.owner = None

    def argument(self, values, n, element="i32"):
        """An array of these values; of static extent unless n is None."""
        name = f"%a{len(self.arguments)}"
        self.arguments.append((name, pull(n, element), element, list(values)))
        return name

    def result(self, name, n, want, element="i32", label="result"):
        self.results.append((name, pull(n, element), element, list(want), label, self.owner))

    def index(self, value):
        return self.let(f"arith.constant {value} : index")

    def length(self, x, n, element="i32"):
        return self.let(f"obs.dim {x}, 0 : {pull(n, element)}")

    def block(self, head, lines, tail):
        """An operation with a region; `head` may name its results."""
        self.line(head)
        for text in lines:
            self.line("  " + text)
        self.line(tail)

    def dynamic(self, n, length):
        """The operand for an extent that the type does not say."""
        return f" [{length}]" if n is None else ""

    def generate(self, n, length, lines, element="i32"):
        """Lines compute %y from %i."""
        r = self.name()
        self.block(f"{r} = obs.generate (%i){self.dynamic(n, length)} {{",
                   list(lines) + [f"obs.yield %y : {element}"], f"}} : {pull(n, element)}")
        return r

    def force(self, x, n, level, element="i32"):
        p = self.let(f"obs.push {x} : {pull(n, element)} -> {push(level, n, element)}")
        return self.force_push(p, n, level, element)

    def force_push(self, p, n, level, element="i32"):
        return self.let(f"obs.force {p} : {push(level, n, element)} -> {pull(n, element)}")

    def cut(self, x, n, offset, size, stride=1, element="i32"):
        return self.let(f"obs.slice {x} [{offset}] [{size}] [{stride}] : "
                        f"{pull(n, element)} -> {pull(size, element)}")

    def reverse(self, x, n):
        return self.let(f"obs.reverse {x} : {pull(n)}")

    def loop(self, begin, end, arrays, body):
        """scf.for that carries arrays, given as (name, type)."""
        one, i = self.index(1), self.name()
        names = [self.name() for _ in arrays]
        types = ", ".join(t for _, t in arrays)
        r = self.name()
        carried = ", ".join(f"{y} = {x}" for y, (x, _) in zip(names, arrays))
        self.line(f"{r}:{len(arrays)} = scf.for {i} = {begin} to {end} step {one} "
                  f"iter_args({carried}) -> ({types}) {{")
        self.indent += 1
        self.line(f"scf.yield {', '.join(body(i, *names))} : {types}")
        self.indent -= 1
        self.line("}")
        return [f"{r}#{k}" for k in range(len(arrays))]

    def at_level(self, level, x, n, body, count=1, element="i32", to=0):
        """`body` on each of `count` parts of n elements of x, in memory at the end.
        With n None there is one part, all of x. Level grid has one part. The body
        returns `to` elements, or n without it."""
        made = to or n
        if level == "grid":
            return self.force(body(x, "grid"), made, "grid", element)
        outer = n if n is None else n * count
        nested = f"!obs.pull<{count} x {pull(n, element)}>"
        if count == 1:
            s = self.name()
            self.block(f"{s} = obs.generate (%i) {{", [f"obs.yield {x} : {pull(n, element)}"], f"}} : {nested}")
        else:
            s = self.let(f"obs.split {x} by [{n}] : {pull(outer, element)} -> {nested}")
        parts = (f"!obs.push<grid, {count} x ? x {element} bound [{count}, {BOUND}]>" if made is None
                 else f"!obs.push<grid, {count} x {made} x {element}>")
        d, part = self.name(), self.name()
        length = self.length(x, n, element) if made is None else None
        self.line(f"{d} = obs.distribute {level} ({part} = {s} : {nested}) -> {parts} {{")
        self.indent += 1
        y = body(part, level)
        q = self.let(f"obs.push {y} : {pull(made, element)} -> {push(level, made, element)}")
        self.line(f"obs.yield {q} : {push(level, made, element)}")
        self.indent -= 1
        self.line("}")
        cut, outer = (f" to [{length}]", None) if made is None else ("", made * count)
        j = self.let(f"obs.join {d}{cut} : {parts} -> {push('grid', outer, element)}")
        return self.force_push(j, outer, "grid", element)

    def text(self):
        head = ", ".join(f"{name}: {type}" for name, type, _, _ in self.arguments)
        types = ", ".join(result[1] for result in self.results)
        self.line(f"return {', '.join(result[0] for result in self.results)} : {types}")
        return f"func.func @main({head}) -> ({types}) {{\n" + "\n".join(self.lines) + "\n}\n"


def numbers(rng, n):
    most = rng.choice([1, max(1, n), 2**31 - 1])
    return [rng.randint(-most, most) for _ in range(n)]


def pick_length(rng, most):
    """Short ones often; the lengths around those of a warp, too."""
    return min(most, rng.choice([rng.randint(0, 9), rng.choice([31, 32, 33, 63, 64, 65]), rng.randint(0, most)]))


def pick_level(rng, *levels):
    return rng.choice(levels or ("thread", "warp", "block", "block", "grid"))


PROPERTIES = {}


def prop(name):
    def add(function):
        PROPERTIES[name] = function
        return function
    return add
