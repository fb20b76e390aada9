"""The cases of the matrix: a kind, level, extent, number of threads, operator and strategy.

In: kinds. Out: every valid case, or a few in which each pair of values occurs.
"""

import itertools

from obstest.collectives.operators import OPERATORS

SIZE = 4096  # of the data, a power of two
EXTENTS = (0, 1, 31, 32, 33, 100, 257, 1000, 4096)
THREADS = (1, 17, 32, 96, 128, 160, 1024)
LEVELS = ("thread", "warp", "block")
INSTANCES = {"thread": 5, "warp": 3, "block": 2}
REDUCE = (
    "default", "sequential", "adjacent_tree", "halving_tree", "raking", "block_stride", "lanes",
    "rows", "warps",
)
SCAN = ("default", "sequential", "sklansky", "kogge_stone", "brent_kung", "raking", "warps")
STRATEGIES = {
    "reduce": REDUCE, "scan": SCAN, "segmented_scan": SCAN,
    "segmented_reduce": SCAN, "compact": SCAN, "rank": SCAN, "expand": SCAN,
    "scatter": ("default",),
}
IRREGULAR = ("compact", "rank", "expand", "scatter")
KEYS = 16  # of rank, and indices of scatter

DIMENSIONS = ("kind", "level", "extent", "threads", "operator", "strategy")


def is_valid(case):
    """Whether a combination makes sense, and stays small enough."""
    kind, level, extent, _, operator, strategy = case
    if strategy not in STRATEGIES[kind]:
        return False
    if strategy in ("warps", "rows", "block_stride") and level != "block":
        return False
    if strategy == "lanes" and level == "thread":
        return False
    if kind in ("rank", "scatter") and operator != "add-i32":
        return False
    if strategy == "halving_tree" and not OPERATORS[operator].commutative:
        return False
    # Each thread stores arrays in memory of its own. More than this would not fit on
    # the stack of an emulated thread.
    if level == "thread" and strategy not in ("default", "sequential") and extent > 257:
        return False
    return True


def is_large(case):
    """Whether the arrays of all warps of a block may not fit into its memory."""
    kind, level, extent, threads, operator, strategy = case
    if level != "warp" or kind == "segmented_reduce" and strategy == "sequential":
        return False
    if kind in ("rank", "scatter"):
        return (threads + 31) // 32 * extent * 40 > 100000
    if kind == "reduce" and strategy not in ("adjacent_tree", "halving_tree"):
        return False
    bytes_of_element = 4 * len(OPERATORS[operator].types) + (9 if "segmented" in kind else 0)
    return (threads + 31) // 32 * extent * bytes_of_element * 6 > 230000


def result_types(case):
    """The element types of the results, each an array of its own."""
    types = OPERATORS[case[4]].types
    if case[0] == "rank":
        return ("i32", "i32")
    if case[0] == "scatter":
        return ("i32", "i32", "i32")
    return types + ("i32",) if case[0] in IRREGULAR else types


def all_cases(kinds):
    strategies = sorted(set(itertools.chain(*STRATEGIES.values())))
    return [case for case in itertools.product(
        kinds, LEVELS, EXTENTS, THREADS, OPERATORS, strategies) if is_valid(case)]


def pairs(case):
    return itertools.combinations(enumerate(case), 2)


def covering_sample(cases, rng):
    """Cases in which every pair of values that any case has occurs."""
    rng.shuffle(cases)
    # Small ones are preferred, as they are quicker.
    missing = set(itertools.chain.from_iterable(map(pairs, cases)))
    sample = []
    while missing:
        candidates = rng.sample(cases, min(300, len(cases)))
        target = next(iter(sorted(missing, key=str)))
        candidates = [c for c in candidates if target in set(pairs(c))] or [
            c for c in cases if target in set(pairs(c))][:60]
        best = max(candidates, key=lambda c: sum(p in missing for p in pairs(c)))
        sample.append(best)
        missing.difference_update(pairs(best))
    return sample


# Variants that are no dimension: chosen by the number of the case, the same for
# all levels, block sizes and strategies, so that results can be shared.

class Variant:
    def __init__(self, case):
        number = EXTENTS.index(case[2]) + 3 * list(OPERATORS).index(case[4])
        self.exclusive = number % 2 == 1
        self.by_offsets = number % 4 < 2 if case[0] == "segmented_scan" else number % 3 != 2
        # Extents of the type: static, or a bound.
        self.dynamic = (number // 2 + LEVELS.index(case[1]) + THREADS.index(case[3])) % 2 == 1


OFFSETS = (0, 0, 1, 1, 1, 3, 4, 8, 9, 9, 15, 16, 16)  # sixteenths of the extent
