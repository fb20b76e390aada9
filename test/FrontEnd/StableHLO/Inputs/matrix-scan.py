"""Prints what JAX makes of an associative scan of 17 matrices of 2 x 2, with an array for each place.

All matrices are 1, 1, 1, 0, so that the numbers of Fibonacci are the results. The scan is in one of two
branches.
"""

LENGTH, PLACES = 17, range(4)
lines = []


def emit(name, operands, length, attributes=""):
    """Append an operation and return its result."""
    types = ", ".join(kind for _, kind in operands)
    result = (f"%{len(lines)}", f"tensor<{length}xi32>")
    lines.append(f'{result[0]} = "stablehlo.{name}"({", ".join(v for v, _ in operands)}) '
                 f"{attributes} : ({types}) -> {result[1]}")
    return result


def part(array, start, limit, stride):
    return emit("slice", [array], -(-(limit - start) // stride),
                f"<{{start_indices = array<i64: {start}>, limit_indices = array<i64: {limit}>, "
                f"strides = array<i64: {stride}>}}>")


def multiply(a, b, length):
    def place(row, column):
        products = [emit("multiply", [a[2 * row + k], b[2 * k + column]], length) for k in (0, 1)]
        return emit("add", products, length)

    return [place(row, column) for row in (0, 1) for column in (0, 1)]


def interleave(even, odd, length):
    def spread(array, low, high):
        return emit("pad", [array, ("%zero", "tensor<i32>")], length,
                    f"<{{edge_padding_low = array<i64: {low}>, edge_padding_high = array<i64: {high}>, "
                    "interior_padding = array<i64: 1>}>")

    return emit("add", [spread(even, 0, 1 - length % 2), spread(odd, 1, length % 2)], length)


def scan(xs, length):
    if length < 2:
        return xs
    half = length // 2
    pairs = multiply([part(x, 0, length - 1, 2) for x in xs], [part(x, 1, length, 2) for x in xs], half)
    odd = scan(pairs, half)
    count = (length - 1) // 2
    even = multiply([part(o, 0, count, 1) for o in odd], [part(x, 2, length, 2) for x in xs], count)
    even = [emit("concatenate", [part(x, 0, 1, 1), e], count + 1, "<{dimension = 0 : i64}>")
            for x, e in zip(xs, even)]
    return [interleave(e, o, length) for e, o in zip(even, odd)]


kind = f"tensor<{LENGTH}xi32>"
kinds = ", ".join(kind for _ in PLACES)
xs = [(f"%x{place}", kind) for place in PLACES]
results = ", ".join(result for result, _ in scan(xs, LENGTH))
print(f'"func.func"() <{{function_type = (tensor<i32>) -> ({kinds}), sym_name = "main"}}> ({{')
print("^bb0(%branch: tensor<i32>):")
print('  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>')
for place in PLACES:
    print(f'  %x{place} = "stablehlo.constant"() <{{value = dense<{int(place < 3)}> : {kind}}}> : () -> {kind}')
print('  %r:4 = "stablehlo.case"(%branch) ({')
print(f'    "stablehlo.return"(%x0, %x1, %x2, %x3) : ({kinds}) -> ()')
print("  }, {")
print("\n".join(f"    {line}" for line in lines))
print(f'    "stablehlo.return"({results}) : ({kinds}) -> ()')
print(f"  }}) : (tensor<i32>) -> ({kinds})")
print(f'  "func.return"(%r#0, %r#1, %r#2, %r#3) : ({kinds}) -> ()')
print("}) : () -> ()")
