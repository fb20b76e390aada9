"""The results of a case, by plain loops."""

import itertools

from obstest import runs
from obstest.collectives.cases import INSTANCES, IRREGULAR, KEYS, OFFSETS, SIZE, Variant
from obstest.collectives.operators import OPERATORS


class Oracle:
    def __init__(self, data):
        self.data, self.cache = data, {}

    def combine(self, operator, elements):
        """The initial value, and what follows after each element."""
        value = operator.init
        yield value
        for element in elements:
            value = operator.combine(value, element)
            yield value

    def instance(self, kind, extent, operator, variant, number):
        source = [(b := (i + 977 * number) % SIZE, self.data[b]) for i in range(extent)]
        elements = [operator.element(x, i) for i, (_, x) in enumerate(source)]
        if kind in ("reduce", "scan"):
            running = list(self.combine(operator, elements))
            if kind == "reduce":
                return [running[-1]]
            return (running[:-1] if variant.exclusive else running[1:]) + [running[-1]]
        if variant.by_offsets:
            bounds = [extent * o // 16 for o in OFFSETS]
        else:
            flags = [self.data[(b * 7 + 3) % SIZE] & 7 == 0 for b, _ in source]
            bounds = [i for i in range(extent) if i == 0 or flags[i]] + [extent]
        results = []
        for begin, end in zip(bounds, bounds[1:]):
            running = list(self.combine(operator, elements[begin:end]))
            if kind == "segmented_reduce":
                results.append(running[-1])
            else:
                results += running[:-1] if variant.exclusive else running[1:]
        if kind == "segmented_reduce" and not variant.by_offsets:
            results += [operator.init] * (extent - len(results))
        return results

    def irregular(self, kind, extent, operator, number):
        """One list for each result."""
        source = [(b := (i + 977 * number) % SIZE, self.data[b]) for i in range(extent)]
        if kind == "rank":
            keys = [x & (KEYS - 1) for _, x in source]
            order = sorted(range(extent), key=lambda i: keys[i])
            ranks = [0] * extent
            for place, i in enumerate(order):
                ranks[i] = place
            return [ranks, [keys.count(key) for key in range(KEYS)]]
        if kind == "scatter":
            counts, sums, products = [0] * KEYS, [0] * KEYS, [1] * KEYS
            for _, x in source:
                at = (x & 31) - 8
                if 0 <= at < KEYS:
                    sums[at] += counts[at]
                    counts[at] += 1
                    products[at] = runs.wrap(products[at] * (x | 1))
            return [counts, sums, products]
        elements = [operator.element(x, i) for i, (_, x) in enumerate(source)]
        rows = []
        for i, (b, x) in enumerate(source):
            if kind == "compact":
                rows += [elements[i]] * (self.data[(b * 7 + 3) % SIZE] & 3 == 0)
            elif i % 4 == 0 and i + 3 < extent:
                rows += [operator.element(x, j) for j in range(min(x & 7, 4))]
        count = len(rows)
        rows += [operator.init] * (extent - count)
        return [[row[k] for row in rows] for k in range(len(operator.types))] + [[count]]

    def expect(self, case):
        """The expected result for each element type, in row-major order."""
        kind, level, extent, _, name, _ = case
        if kind in IRREGULAR:
            parts = [self.irregular(kind, extent, OPERATORS[name], number)
                     for number in range(INSTANCES[level])]
            return [list(itertools.chain.from_iterable(lists)) for lists in zip(*parts)]
        variant = Variant(case)
        key = (kind, extent, name, INSTANCES[level])
        if key not in self.cache:
            rows = itertools.chain.from_iterable(
                self.instance(kind, extent, OPERATORS[name], variant, number)
                for number in range(INSTANCES[level]))
            rows = list(rows)
            self.cache[key] = [[row[k] for row in rows]
                               for k in range(len(OPERATORS[name].types))]
        return self.cache[key]
