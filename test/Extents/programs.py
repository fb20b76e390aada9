"""Text of programs over arrays of N elements that store a few of them.

Element i of most arrays is value(i) = 2654435761 i + 1 modulo 2^64. This number is odd
and fits no smaller type, so an index that lost its upper bits gives another element.
"""

FACTOR = 2654435761


def value(i):
    return FACTOR * i + 1


def value2(i, j):
    """Element (i, j) of `matrix`."""
    return FACTOR * i + 40503 * j + 1


def registry():
    """The cases of a module by name, which are empty, and the decorator that adds a function to them.

    A case is a function of a `Size`. It returns the lines of a function body, whose last
    line returns the results, and one list of expected elements for each result.
    """
    cases = {}

    def case(f):
        cases[f.__name__] = f
        return f

    return cases, case


class Size:
    """N elements, as static extents of types or as numbers that are known at run time."""

    def __init__(self, n, isStatic):
        self.n = n
        self.isStatic = isStatic
        self.parameters = []
        self.count = 0

    def t(self, extent):
        """This extent in a type."""
        return str(extent) if self.isStatic else "?"

    def o(self, *values):
        """The operands for extents that the type leaves open."""
        return "" if self.isStatic else "[" + ", ".join(values) + "]"

    def number(self, name, number):
        """A number: a constant, or a parameter of the function."""
        if self.isStatic:
            return f"%{name} = arith.constant {number} : index\n"
        self.parameters.append((name, number))
        return ""

    def vector(self, name, extent):
        """The array of value(i). The number %NAME_n is its extent."""
        return self.number(name + "_n", extent) + f"""
  %{name}_k = arith.constant {FACTOR} : index
  %{name}_1 = arith.constant 1 : index
  %{name} = obs.generate (%i) {self.o(f'%{name}_n')} {{
    %p = arith.muli %i, %{name}_k : index
    %x = arith.addi %p, %{name}_1 : index
    obs.yield %x : index
  }} : !obs.pull<{self.t(extent)} x index>
"""

    def matrix(self, name, rows, columns):
        """The array of value2(i, j). %NAME_n and %NAME_m are its extents."""
        return self.number(name + "_n", rows) + self.number(name + "_m", columns) + f"""
  %{name}_k = arith.constant {FACTOR} : index
  %{name}_l = arith.constant 40503 : index
  %{name}_1 = arith.constant 1 : index
  %{name} = obs.generate (%i, %j) {self.o(f'%{name}_n', f'%{name}_m')} {{
    %p = arith.muli %i, %{name}_k : index
    %q = arith.muli %j, %{name}_l : index
    %s = arith.addi %p, %q : index
    %x = arith.addi %s, %{name}_1 : index
    obs.yield %x : index
  }} : !obs.pull<{self.t(rows)} x {self.t(columns)} x index>
"""

    def fill(self, name, extent, last=4, level="grid"):
        """A push array that writes value(i) to its last elements i only."""
        return self.number(name + "_n", extent) + f"""
  %{name}_k = arith.constant {FACTOR} : index
  %{name}_1 = arith.constant 1 : index
  %{name}_c = arith.constant {last} : index
  %{name}_o = arith.subi %{name}_n, %{name}_c : index
  %{name} = obs.fill {self.o(f'%{name}_n')} par (%t) in (%{name}_c) {{
    %i = arith.addi %{name}_o, %t : index
    %p = arith.muli %i, %{name}_k : index
    %x = arith.addi %p, %{name}_1 : index
    obs.write %x at [%i] : index
  }} : !obs.push<{level}, {self.t(extent)} x index>
"""

    def tail(self, array, extent, kind="index", elements=4):
        """Stores the last elements of a pull array, as %ARRAY_f."""
        return self.number(array + "_e", extent) + f"""
  %{array}_tc = arith.constant {elements} : index
  %{array}_to = arith.subi %{array}_e, %{array}_tc : index
  %{array}_t = obs.slice %{array} [%{array}_to] [{elements}] [1] : !obs.pull<{self.t(extent)} x {kind}>
  %{array}_f = obs.force %{array}_t : !obs.pull<{elements} x {kind}>
"""

    def pushTail(self, array, extent, kind="index", elements=4):
        """Stores the last elements of a push array in reverse order, as %ARRAY_f."""
        return f"""
  %{array}_r = obs.reverse %{array} : !obs.push<grid, {self.t(extent)} x {kind}>
  %{array}_t = obs.take %{array}_r [{elements}] : !obs.push<grid, {self.t(extent)} x {kind}>
  %{array}_f = obs.force %{array}_t : !obs.push<grid, {elements} x {kind}>
"""


def returns(*results):
    """The last line: the results and their types."""
    return "  return " + ", ".join("%" + name for name, _ in results) + " : " + ", ".join(
        kind for _, kind in results) + "\n"


def few(name, kind="index", elements=4):
    return (name + "_f", f"!obs.pull<{elements} x {kind}>")


def lastValues(n, count=4):
    return [value(i) for i in range(n - count, n)]
