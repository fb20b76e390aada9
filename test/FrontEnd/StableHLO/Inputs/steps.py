"""A function of 60 steps: each adds the largest element of an array to all elements."""

TYPE, SCALAR = "tensor<4xi64>", "tensor<i64>"
print(f'"func.func"() <{{function_type = ({TYPE}) -> {TYPE}, sym_name = "main"}}> ({{')
print(f"^bb0(%x0: {TYPE}):")
print(f'  %least = "stablehlo.constant"() <{{value = dense<0> : {SCALAR}}}> : () -> {SCALAR}')
for step in range(60):
    print(f"""\
  %m{step} = "stablehlo.reduce"(%x{step}, %least) <{{dimensions = array<i64: 0>}}> ({{
  ^bb0(%a: {SCALAR}, %b: {SCALAR}):
    %c = "stablehlo.maximum"(%a, %b) : ({SCALAR}, {SCALAR}) -> {SCALAR}
    "stablehlo.return"(%c) : ({SCALAR}) -> ()
  }}) : ({TYPE}, {SCALAR}) -> {SCALAR}
  %b{step} = "stablehlo.broadcast_in_dim"(%m{step}) <{{broadcast_dimensions = array<i64>}}> : ({SCALAR}) -> {TYPE}
  %x{step + 1} = "stablehlo.add"(%x{step}, %b{step}) : ({TYPE}, {TYPE}) -> {TYPE}""")
print(f'  "func.return"(%x60) : ({TYPE}) -> ()')
print("}) : () -> ()")
