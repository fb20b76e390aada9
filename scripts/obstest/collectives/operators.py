"""The operators of the collectives: associative functions of one or more components."""

from obstest import runs

# Operators: element types, how an element is made from the number x and the
# index i, the initial value, and the combination; the latter in Python and in
# MLIR, where operands are %a0, ..., %b0, ... and results %r0, ...

class AddInteger:
    types, commutative, init = ("i32",), True, (7,)
    element = staticmethod(lambda x, i: (x,))
    make = ()
    made = ("%x",)
    combine = staticmethod(lambda a, b: (runs.wrap(a[0] + b[0]),))
    body = "%r0 = arith.addi %a0, %b0 : i32"


class AddFloat:
    """Of integers that are so small that the sum is the same in every order."""
    types, commutative, init = ("f32",), True, (7.0,)
    element = staticmethod(lambda x, i: (float(x & 15),))
    make = ("%m = arith.andi %x, %c15 : i32", "%e = arith.sitofp %m : i32 to f32")
    made = ("%e",)
    combine = staticmethod(lambda a, b: (a[0] + b[0],))
    body = "%r0 = arith.addf %a0, %b0 : f32"


class Maximum:
    types, commutative, init = ("i32",), True, (-5,)
    element = staticmethod(lambda x, i: (x,))
    make = ()
    made = ("%x",)
    combine = staticmethod(lambda a, b: (max(a[0], b[0]),))
    body = "%r0 = arith.maxsi %a0, %b0 : i32"


class Append:
    """Intervals: begin, end, and whether all that were joined did touch. The
    first one joins -3 to 0."""
    types, commutative, init = ("i32", "i32", "i32"), False, (-3, 0, 1)
    element = staticmethod(lambda x, i: (i, i + 1, 1))
    make = ("%e = arith.addi %j, %c1 : i32",)
    made = ("%j", "%e", "%c1")
    combine = staticmethod(lambda a, b: (a[0], b[1], int(a[1] == b[0]) & a[2] & b[2]))
    body = """%t = arith.cmpi eq, %a1, %b0 : i32
        %u = arith.extui %t : i1 to i32
        %v = arith.andi %a2, %b2 : i32
        %r2 = arith.andi %u, %v : i32
        %r0 = arith.addi %a0, %c0 : i32
        %r1 = arith.addi %b1, %c0 : i32"""


class MaximumSegment:
    """Sum, largest sum of a prefix, of a suffix, of any segment."""
    types, commutative, init = ("i32",) * 4, False, (-9, -2, 3, 4)
    element = staticmethod(lambda x, i: ((x & 255) - 128,) * 4)
    make = ("%m = arith.andi %x, %c255 : i32", "%e = arith.subi %m, %c128 : i32")
    made = ("%e",) * 4
    combine = staticmethod(lambda a, b: (
        a[0] + b[0], max(a[1], a[0] + b[1]), max(b[2], a[2] + b[0]),
        max(a[3], b[3], a[2] + b[1])))
    body = """%r0 = arith.addi %a0, %b0 : i32
        %p = arith.addi %a0, %b1 : i32
        %r1 = arith.maxsi %a1, %p : i32
        %q = arith.addi %a2, %b0 : i32
        %r2 = arith.maxsi %b2, %q : i32
        %t = arith.addi %a2, %b1 : i32
        %u = arith.maxsi %a3, %b3 : i32
        %r3 = arith.maxsi %t, %u : i32"""


class Matrix:
    """Products of 2 by 2 matrices, modulo 2^32."""
    types, commutative, init = ("i32",) * 4, False, (1, 2, 3, 5)
    element = staticmethod(lambda x, i: (x, runs.wrap(x * 255), runs.wrap(x + 15), 1))
    make = ("%e = arith.muli %x, %c255 : i32", "%f = arith.addi %x, %c15 : i32")
    made = ("%x", "%e", "%f", "%c1")
    combine = staticmethod(lambda a, b: (
        runs.wrap(a[0] * b[0] + a[1] * b[2]), runs.wrap(a[0] * b[1] + a[1] * b[3]),
        runs.wrap(a[2] * b[0] + a[3] * b[2]), runs.wrap(a[2] * b[1] + a[3] * b[3])))
    body = "\n".join(
        f"""        %m{k}l = arith.muli %a{k & 2}, %b{k & 1} : i32
        %m{k}r = arith.muli %a{k | 1}, %b{k & 1 | 2} : i32
        %r{k} = arith.addi %m{k}l, %m{k}r : i32""" for k in range(4)).strip()


OPERATORS = {"add-i32": AddInteger, "add-f32": AddFloat, "max": Maximum,
             "append": Append, "mss": MaximumSegment, "matrix": Matrix}
