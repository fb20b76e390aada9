"""The functions of this folder, in Python: for each the names of its
arguments (see check.py), the results, and the least length that it takes."""


def wrap(x):
    return (x + 2**31) % 2**32 - 2**31


def halve(a):
    return a[:len(a) // 2], a[len(a) // 2:]


def halve_2008(a):
    h = len(a) - len(a) // 2
    return a[:h], a[h:]


def chunks(a, k, pad=0):
    a = a + [pad] * (-len(a) % k)
    return [a[i:i + k] for i in range(0, len(a), k)]


def strided(a, k, pad=0):
    count = -(-len(a) // k)
    a = a + [pad] * (count * k - len(a))
    return [a[i::count] for i in range(count)]


def log_base(b, x):
    k = 0
    while b**(k + 1) <= x:
        k += 1
    return k


def take_from(a, b):
    return a[b] if b < len(a) else 0


PULL = {
    "squares": ("n", lambda n: [i * i for i in range(n)]),
    "access": ("a k", lambda a, k: (take_from(a, k), len(a))),
    "parameter": ("m", lambda m: m),
    "iota": ("n", lambda n: list(range(n))),
    "replicate": ("n x", lambda n, x: [x] * n),
    "singleton": ("x", lambda x: [x]),
    "fmap": ("a", lambda a: [2 * (x + 1) for x in a]),
    "zip_with3": ("a b c", lambda a, b, c: [x * y - z for x, y, z in zip(a, b, c)]),
    "zip_with": ("a d", lambda a, d: [x - y for x, y in zip(a, d)]),
    "zip_unzip": ("a b", lambda a, b: (b, a)),
    "gather_next": ("s8", lambda a: a[1:] + a[:1]),
    "reverse": ("a", lambda a: a[::-1]),
    "split_at": ("a k", lambda a, k: (a[:k], a[k:])),
    "halve": ("a", halve),
    "halve_2008": ("a", halve_2008),
    "even_odds": ("a", lambda a: (a[::2], a[1::2])),
    "every_nth": ("a k two", lambda a, k, m: a[m::k]),
    "split_up": ("a", lambda a: [c[1] for c in chunks(a, 4)]),
    "coalesce": ("a", lambda a: [c[1] for c in strided(a, 4)]),
    "parts": ("a k", lambda a, k: (a[:k], a[k:], a[0], a[1:], a[-1]), 4),
    "resize": ("a y x", lambda a, n, x: (a + [x] * (n - len(a)))[:n]),
    "shift_right": ("a k x", lambda a, k, x: ([x] * k + a)[:len(a)]),
    "append": ("a d", lambda a, d: a + d),
    "pair": ("a", lambda a: [x - y for x, y in chunks(a, 2)]),
    "unpair": ("pairs", lambda p: [x for q in zip(*p) for x in q]),
    "untriple": ("a b c", lambda a, b, c: [x for q in zip(a, b, c) for x in q]),
    "fold1": ("s8", lambda a: [max(a)]),
    "two_reverse": ("a", lambda a: halve(a)[0][::-1] + halve(a)[1][::-1]),
    "bin_split": ("s16", lambda a: [x for c in chunks(a, 4) for x in c[::-1]]),
    "from_to_dyn": ("a", lambda a: (a[:4], a[:4]), 4),
    "chop": ("a", lambda a: [x for c in chunks(a, 3)[::-1] for x in c]),
    "log_base": ("k y", log_base),
    "transpose": ("rows", lambda a: [a[i::3] for i in range(3)]),
    "transpose_nested": ("s12", lambda a: [a[i::3] for i in range(3)]),
    "bit_permutations": ("s16", lambda a: (
        [a[(i << 2 | i >> 2) & 15] for i in range(16)],
        [a[(j & 12) | (j & 1) << 1 | (j & 2) >> 1] for i in range(16) for j in [i ^ i >> 2]])),
}



def scatter(a, places):
    out = [0] * len(a)
    for x, i in zip(a, places):
        out[i] = x
    return out


def comparators(a, bit):
    """Element i and the one with bits 0 to `bit` inverted, in order."""
    out = list(a)
    for i in range(len(a)):
        j = i ^ ((2 << bit) - 1)
        if i < j:
            out[i], out[j] = sorted((a[i], a[j]))
    return out


def stage(a):
    return [x - y for x, y in zip(a, a[1:] + a[:1])]


def each(f, k, pad=0):
    """f on every chunk of k elements, as one list."""
    return lambda a: [x for c in chunks(a, k, pad) for x in f(c)]


def running(a):
    return [sum(a[:i + 1]) for i in range(len(a))]


PUSH = {
    "mk_push": ("n", lambda n: [i // 2 for i in range(2 * n)]),
    "push": ("a", lambda a: a),
    "push_block": ("s96", lambda a: a),
    "push_app": ("a x", lambda a, x: [x] + a),
    "fmap_push": ("a b", lambda a, b: [x - y for x, y in zip(a, b)]),
    "scatter_next": ("s8", lambda a: a[-1:] + a[:-1]),
    "append_push": ("a d", lambda a, d: a + d),
    "unpair_push": ("pairs", lambda p: [x for q in zip(*p) for x in q]),
    "zip_push": ("a b", lambda a, b: [x for q in zip(a, b) for x in q]),
    "iota_push": ("n x", lambda n, x: (list(range(n)), [x] * n)),
    "reverse_push": ("a", lambda a: a[::-1]),
    "load4": ("a", lambda a: a),
    "load4_arrays": ("a", lambda a: a),
    "push_f": ("a b c", lambda a, b, c: [x for q in zip(a, b, c) for x in q]),
    "map_perm_seq": ("s16", lambda a: comparators(a, 2)),
    "push_by": ("a places", scatter),
    "merge_l": ("a b", lambda a, b: [(x, y)[i % 2] for i, (x, y) in enumerate(zip(a, b))]),
    "ilv_halves": ("s8", lambda a: ([a[(i << 1 | i >> 2) & 7] for i in range(8)],
                                    scatter([a[(i << 1 | i >> 2) & 7] for i in range(8)],
                                            [(i << 1 | i >> 2) & 7 for i in range(8)]))),
    "singleton_push": ("s96", lambda a: [sum(c) for c in chunks(a, 32)]),
    "run_push": ("s96", each(lambda c: c[::-1], 32)),
}

LEVELS = {
    "t_concat": ("s96", each(lambda c: c[::-1], 4)),
    "p_concat": ("s256", each(lambda c: c[::-1], 32)),
    "s_concat": ("s256", each(lambda c: c[::-1], 32)),
    "p_distribute": ("n", lambda n: [b * i for b in range(n) for i in range(3)]),
    "s_distribute": ("n", lambda n: [b * i for b in range(n) for i in range(3)]),
    "un_coalesce": ("a", lambda a: a),
    "zip_with_g": ("a b", lambda a, b: [
        x - y for x, y in zip(a, each(lambda c: c[::-1], 32)(b))]),
    "rep": ("a k", lambda a, k: [x * 2**k for x in a]),
    "to_g_program": ("a", lambda a: (each(running, 32)(a)[:len(a)], [sum(c) for c in chunks(a, 32)])),
    "compute": ("a", each(lambda c: c[::-1], 32)),
    "sync_pair": ("s96", each(lambda c: c[32:] + c[:32], 48)),
    "force_g": ("a", lambda a: (a[::-1], [x - y for x, y in zip(a, a[::-1])])),
    "force_to": ("m", lambda m: [x + 1 for x in m]),
    "compose_s": ("s96", each(lambda c: stage(stage(stage(c))), 32)),
    "atomic_force": ("s96", each(lambda c: [sum(x % 16 == 15 - k for x in c) for k in range(16)], 32)),
    "storage": ("s256", each(lambda c: each(lambda q: q[::-1], 4)(c)[::-1], 128)),
}



def iterate(x):
    for i in range(10):
        x = wrap(x * x + i)
    return x


def halve_even(x):
    while x % 2 == 0 and x != 0:
        x = int(x / 2)
    return x


def subtracted(row):
    total = 0
    for x in row:
        total -= x
    return total


def count(values, size):
    return [values.count(i) for i in range(size)]


def last(keys, size):
    return [max([t for t, k in enumerate(keys) if k == i], default=-1) for i in range(size)]


def rows(f):
    """f on every four elements, without what belongs to the padding."""
    return lambda a, *more: [x for c in chunks(a, 4) for x in f(c, *more)][:len(a)]


def swap_pairs(a, b):
    out = []
    for i in range(0, len(a), 2):
        out += sorted([(a[i], b[i]), (a[i + 1], b[i + 1])], key=lambda p: p[0])
    return [p[0] for p in out], [p[1] for p in out]


THREADS = {
    "seq_reduce": ("a", lambda a: [subtracted(c) for c in chunks(a, 4)]),
    "seq_iterate": ("a", lambda a: [iterate(x) for x in a]),
    "seq_until": ("a", lambda a: [halve_even(x) for x in a]),
    "seq_scan": ("a x", rows(lambda c, x: [x + y for y in running(c)])),
    "map_accum_l": ("a", rows(lambda c: [sum(x < 0 for x in c[:i]) for i in range(4)])),
    "map_accum_r": ("a", rows(lambda c: [sum(c[i + 1:]) for i in range(4)])),
    "seq_map": ("a", lambda a: [2 * x for x in a]),
    "s_map_accum": ("s256", each(running, 128)),
    "seq_sort": ("s96", each(sorted, 8)),
    "sorted_halves": ("s96", each(sorted, 4)),
    "seq_merge": ("s96", each(sorted, 8)),
    "seq_filter": ("a", lambda a: (
        [x for c in chunks(a, 4, -1) for x in ([y for y in c if y >= 0] + [-1] * 4)[:4]],
        [sum(y >= 0 for y in c) for c in chunks(a, 4, -1)])),
}

def decrement(keys):
    """atomicDec with bound 3, on ten numbers that are 3."""
    counters = [3] * 10
    for k in keys:
        counters[k] = counters[k] - 1 if 0 < counters[k] <= 3 else 3
    return counters


MEMORY = {
    "mutable_global": ("m k", lambda m, k: [x * 2**k for x in m]),
    "mutable_shared": ("s96", each(lambda c: [c[i] + (c[i - 1] if i % 2 else 0) for i in range(32)], 32)),
    "atomic_add": ("keys", lambda keys: count(keys, 10)),
    "atomic_sub": ("a reads", lambda a, reads: [x - c for x, c in zip(a, count(reads, len(a)))]),
    "atomic_max": ("keys", lambda keys: last(keys, 10)),
    "atomic_exch": ("keys", lambda keys: [int(c > 0) for c in count(keys, 10)]),
    "atomic_dec": ("keys", decrement),
    "atomic_cas": ("keys", lambda keys: [9 if i % 2 and i in keys else i % 2 for i in range(10)]),
    "gather": ("a reads", lambda a, reads: [a[i] for i in reads]),
    "scatter": ("a places", scatter),
    "perm": ("a places", lambda a, places: scatter(a, places[::-1])),
    "table": ("s8", lambda a: [a[i] for i in [0, 4, 1, 5, 2, 6, 3, 7]]),
    "tuples": ("a b", lambda a, b: (
        list(map(min, a, b)), list(map(max, a, b)), [x * y for x, y in zip(a, b)], [int(x < y) for x, y in zip(a, b)])),
    "tuples_stored": ("s64 t64", swap_pairs),
}

ORACLES = {"pull": PULL, "push": PUSH, "levels": LEVELS, "threads": THREADS, "memory": MEMORY}
