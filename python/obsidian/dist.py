"""Arrays that are distributed over several processes. Each process uses one GPU, or the emulator.

In: tensors of PyTorch, one part on each process, and a `Group` of processes. Out: sharded arrays,
whose elements are the same, bit for bit, on any number of processes. Every process calls the same
operations in the same order. `import obsidian.dist` needs no PyTorch; `Group` does.

An operator of `reduce` and `scan` is an associative function of two elements, the left one first,
and need not commute. Its neutral element is `e` with op(e, x) == op(x, e) == x. Elements with
several components are tuples. Programs are compiled once for each function object: define
functions outside of loops.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import dist_programs as programs
from .dist_group import Components, Group
from .errors import ArgumentError, ArgumentTypeError, DistError
from .interop import view_of
from .types import element_type_for

__all__ = ["DistError", "Group", "ShardedArray", "shard"]

#: The samples of each rank that `sort` takes, about.
SAMPLES = 1024
#: The rules for elements outside of an array, by index and number of elements.
_RULES: dict[str, Callable[[int, int], int]] = {
    "clamp": lambda i, n: min(max(i, 0), n - 1),
    "mirror": lambda i, n: min(i % (2 * n), 2 * n - 1 - i % (2 * n)),
    "wrap": lambda i, n: i % n,
}


def shard(whole: Any, group: Group) -> ShardedArray:
    """Distribute an array that every process has. Each process keeps its part.

    `whole` is a tensor of one dimension, or a tuple of tensors of equal lengths. The lengths of the
    parts differ by at most one piece of PIECE elements. No message is sent.
    """
    values = whole if isinstance(whole, tuple) else (whole,)
    lengths = _fair_lengths(_length(values), group.size)
    begin = sum(lengths[: group.rank])
    own = tuple(v[begin : begin + lengths[group.rank]].clone() for v in values)
    return ShardedArray(own, lengths, group)


class ShardedArray:
    """An array of one dimension whose parts are on the processes of a group, in their order.

    `components` are the tensors of this process: one, or one for each component of an element.
    `lengths` are the numbers of elements of all ranks; they may be 0.
    """

    def __init__(self, components: Components, lengths: Sequence[int], group: Group) -> None:
        """Take the part of this process; `from_local` finds the lengths of the others."""
        self.components, self.lengths, self.group = components, tuple(lengths), group

    @classmethod
    def from_local(cls, local: Any, group: Group) -> ShardedArray:
        """The array whose part on each process is `local`, of any length. One all_gather.

        `local` is a tensor of one dimension on the device of the group, or a tuple of tensors of
        equal lengths. The types are the same on all processes.
        """
        values = local if isinstance(local, tuple) else (local,)
        with group.step("from_local"):
            lengths = group.gather_numbers("from_local", [_length(values)])
        return cls(values, [n for (n,) in lengths], group)

    def __repr__(self) -> str:
        return f"<array of {self.size} elements, {len(self)} on {self.group!r}>"

    def __len__(self) -> int:
        """The number of elements on this process."""
        return self.lengths[self.group.rank]

    @property
    def local(self) -> Any:
        """The part of this process: a tensor, or a tuple of tensors."""
        return _plain(self.components)

    @property
    def size(self) -> int:
        """The number of elements on all processes."""
        return sum(self.lengths)

    @property
    def offset(self) -> int:
        """The position of the first element of this process in the whole array."""
        return sum(self.lengths[: self.group.rank])

    @property
    def _kinds(self) -> programs.Kinds:
        return _kinds(self.components)

    def _one(self, name: str) -> Any:
        if len(self.components) != 1:
            raise ArgumentTypeError(f"{name} takes elements with one component: use map first")
        return self.components[0]

    def _part(self, value: Any) -> ShardedArray:
        return ShardedArray(_tuple(value), self.lengths, self.group)

    def gather(self) -> Any:
        """The whole array, on every process: a tensor, or a tuple of tensors. One all_gather."""
        with self.group.step("gather"):
            return _plain(self.group.gather("gather", self.components, self.lengths))

    def rebalanced(self) -> ShardedArray:
        """The same array in parts of nearly equal lengths that begin at multiples of PIECE.

        One all_to_all.
        """
        with self.group.step("rebalanced"):
            return self._with_lengths("rebalanced", _fair_lengths(self.size, self.group.size))

    def _with_lengths(self, name: str, lengths: Sequence[int]) -> ShardedArray:
        if tuple(lengths) == self.lengths:
            return self
        rank, old, new = self.group.rank, _spans(self.lengths), _spans(lengths)
        sent = [_overlap(old[rank], span) for span in new]
        received = [_overlap(span, new[rank]) for span in old]
        found = self.group.exchange(name, self.components, sent, received)
        return ShardedArray(found, lengths, self.group)

    def _in_pieces(self, name: str) -> ShardedArray:
        """The same array in parts that begin at multiples of PIECE; itself if they do."""
        spans = _spans(self.lengths)
        if all(begin == end or begin % programs.PIECE == 0 for begin, end in spans):
            return self
        return self._with_lengths(name, _fair_lengths(self.size, self.group.size))

    def map(self, function: Callable[..., Any], other: ShardedArray | None = None) -> ShardedArray:
        """`function` of each element, or of each element and the one of `other` at its position.

        The lengths of both must agree on every rank: ArgumentError otherwise. Nothing is sent.
        """
        if other is not None and other.lengths != self.lengths:
            raise ArgumentError(f"map: parts of {self.lengths} and {other.lengths} elements")
        arrays = [self] if other is None else [self, other]
        with self.group.step("map"):
            program = programs.element_map(function, tuple(a._kinds for a in arrays))
            return self._part(program(*(a.local for a in arrays)))

    def reduce(self, operator: Callable[..., Any], neutral: Any) -> Any:
        """All elements combined: a tensor of one element, or a tuple of them, on every process.

        Each process combines its pieces of PIECE elements. After one all_gather, each process
        combines the results of all pieces in the same order. Without elements, the result is
        `neutral`.
        """
        with self.group.step("reduce"):
            found, _ = self._piece_totals("reduce", operator, neutral)
            program = programs.piece_totals(self._kinds, operator, neutral)
            while len(found[0]) > 1:
                found = _tuple(program(_plain(found)))
            return _plain(found if len(found[0]) else self._constant(neutral))

    def scan(
        self, operator: Callable[..., Any], neutral: Any, *, exclusive: bool = False
    ) -> ShardedArray:
        """For each element, the combination of all up to it, or with `exclusive` of those before.

        After one all_gather of the combinations of pieces, each process scans its pieces. A piece
        begins with the combination of all elements before it.
        """
        with self.group.step("scan"):
            totals, array = self._piece_totals("scan", operator, neutral)
            carries = self._carries(totals, operator, neutral)
            first = -(-array.offset // programs.PIECE)
            count = _pieces(len(array))
            own = _plain(tuple(c[first : first + count].clone() for c in carries))
            program = programs.piece_scans(self._kinds, operator, neutral, exclusive)
            return array._part(program(array.local, own))

    def _piece_totals(
        self, name: str, operator: Callable[..., Any], neutral: Any
    ) -> tuple[Components, ShardedArray]:
        """The combinations of all pieces, on every rank; and the array in pieces."""
        array = self._in_pieces(name)
        own = _tuple(programs.piece_totals(self._kinds, operator, neutral)(array.local))
        counts = [_pieces(length) for length in array.lengths]
        return self.group.gather(name, own, counts), array

    def _carries(self, totals: Components, operator: Callable[..., Any], neutral: Any) -> Any:
        """The combination of all totals before each total: an exclusive scan, also in pieces."""
        if len(totals[0]) <= programs.PIECE:
            starts = self._constant(neutral)
        else:
            program = programs.piece_totals(self._kinds, operator, neutral)
            starts = self._carries(_tuple(program(_plain(totals))), operator, neutral)
        scan = programs.piece_scans(self._kinds, operator, neutral, True)
        return _tuple(scan(_plain(totals), _plain(starts)))

    def _constant(self, value: Any) -> Components:
        """One element on the device of the array."""
        values = value if isinstance(value, tuple) else (value,)
        return tuple(c.new_full((1,), v) for c, v in zip(self.components, values))

    def histogram(self, bins: int) -> Any:
        """The number of occurrences of each number below `bins`: int64, on every process.

        One all_reduce. The elements are integers. Numbers outside of 0 to bins - 1 are not counted.
        """
        values = self._one("histogram")
        with self.group.step("histogram"):
            counts = programs.bin_counts(self._kinds[0], bins)(values)
            return self.group.add_up("histogram", counts.to(self.group.torch.int64))

    def compact(self, predicate: Callable[..., Any]) -> ShardedArray:
        """The elements for which the predicate holds, in order, in parts of nearly equal lengths.

        One all_gather of the lengths, and one all_to_all.
        """
        with self.group.step("compact"):
            kept = _tuple(programs.kept_elements(predicate, self._kinds)(self.local))
            lengths = [n for (n,) in self.group.gather_numbers("compact", [len(kept[0])])]
            array = ShardedArray(kept, lengths, self.group)
            return array._with_lengths("compact", _fair_lengths(array.size, self.group.size))

    def sort(self) -> ShardedArray:
        """The elements in ascending order: i32, i64, or floats in the order of IEEE 754-2008.

        A local sort, an all_gather of samples, one of counts, one all_to_all, and merges. The
        lengths of the parts are nearly equal, whether elements are equal or not.
        """
        values, kind = self._one("sort"), self._kinds[0]
        key = programs.key_type(kind)
        with self.group.step("sort"):
            keys = values if key is kind else programs.ordered_keys(kind)(values)
            keys = programs.local_sort(key)(keys)
            runs, lengths = self._exchange_runs(keys, key)
            while len(runs) > 1:
                pairs = zip(runs[::2], runs[1::2])
                merged = [programs.merge_two(key)(a, b) for a, b in pairs]
                runs = merged + runs[len(merged) * 2 :]
            found = runs[0] if key is kind else programs.unordered_keys(kind)(runs[0])
            return ShardedArray((found,), lengths, self.group)

    def _exchange_runs(self, keys: Any, kind: Any) -> tuple[list[Any], list[int]]:
        """Send sorted keys to the ranks of their positions: the received runs, and all lengths."""
        group, torch, total = self.group, self.group.torch, self.size
        if group.size == 1 or total == 0:
            return [keys], [*self.lengths]
        step = -(-total // (group.size * SAMPLES))
        (samples,) = group.gather(
            "sort",
            (keys[step // 2 :: step],),
            [len(range(step // 2, n, step)) for n in self.lengths],
        )
        group.finish()
        samples = programs.local_sort(kind)(samples)
        ends = [end for _, end in _spans(_fair_lengths(total, group.size))][:-1]
        places = torch.tensor([e * len(samples) // total for e in ends], device=keys.device)
        splitters = samples[places.clamp(max=len(samples) - 1)]
        below = torch.searchsorted(keys, splitters).tolist()
        up_to = torch.searchsorted(keys, splitters, right=True).tolist()
        found = group.gather_numbers("sort", below + up_to)
        # cuts[c][r]: the number of keys of rank r before cut c. Keys that are equal to the splitter
        # fill the left side up to its length, in the order of ranks. The others go to the right.
        cuts = [[0] * group.size]
        for c, end in enumerate(ends):
            low, high = ([row[i] for row in found] for i in (c, c + len(ends)))
            wanted, cut = end - sum(low), []
            for less, most in zip(low, high):
                taken = min(max(wanted, 0), most - less)
                wanted -= taken
                cut.append(less + taken)
            cuts.append(cut)
        cuts.append([*self.lengths])
        parts = [[b - a for a, b in zip(*pair)] for pair in itertools.pairwise(cuts)]
        received = parts[group.rank]
        (data,) = group.exchange("sort", (keys,), [part[group.rank] for part in parts], received)
        return [run.clone() for run in data.split(received)], [sum(part) for part in parts]

    def stencil(
        self, function: Callable[..., Any], radius: int, rule: str | float = "clamp"
    ) -> ShardedArray:
        """`function` of the `2 * radius + 1` elements around each one, as an array.

        `rule` is the element outside of the whole array: "clamp", "mirror" or "wrap", as in
        `obs.pad`, or a number. Halos are sent while the inner elements are computed.
        """
        values, name = self._one("stencil"), "stencil"
        if isinstance(rule, str) and rule not in _RULES:
            raise ArgumentError(f"stencil: the rule is {', '.join(_RULES)} or a number: {rule!r}")
        with self.group.step(name):
            torch, n = self.group.torch, len(self)
            program = programs.window_map(function, self._kinds, 2 * radius + 1)
            halo, works = self._start_halos(values, radius, rule)
            inside = [_tuple(program(values))] if n > 2 * radius else []
            self.group.end_messages(name, works)
            left, right = (torch.cat(part) if part else values[:0] for part in halo())
            if inside:
                first = _tuple(program(torch.cat([left, values[: 2 * radius]])))
                last = _tuple(program(torch.cat([values[n - 2 * radius :], right])))
                parts = [first, *inside, last] if radius else inside
            else:
                whole = torch.cat([left, values, right]) if n else values.new_zeros(2 * radius)
                parts = [_tuple(program(whole))]
            return self._part(tuple(torch.cat(part) for part in zip(*parts)))

    def _start_halos(
        self, values: Any, radius: int, rule: str | float
    ) -> tuple[Callable[[], list[list[Any]]], list[Any]]:
        """Begin to exchange halos: a function for their parts, and the messages to wait for.

        Each rank computes the positions that every other rank needs, so no requests are sent.
        """
        rank, spans = self.group.rank, _spans(self.lengths)
        needs = [self._halo(span, radius, rule) for span in spans]
        owners = {i: self._owner(i) for need in needs for i in need if i is not None}
        sent, received, sources = [], [], {}
        for other, need in enumerate(needs):
            mine = [i - self.offset for i in need if i is not None and owners[i] == rank]
            if mine:
                chosen = values[self.group.torch.tensor(mine, device=values.device)]
                if other == rank:
                    sources[rank] = chosen
                else:
                    sent.append((other, chosen))
            theirs = [i for i in needs[rank] if i is not None and owners[i] == other]
            if theirs and other != rank:
                sources[other] = values.new_empty(len(theirs))
                received.append((other, sources[other]))
        works = self.group.start_messages("stencil", sent, received)

        def halo() -> list[list[Any]]:
            taken = dict.fromkeys(sources, 0)
            parts = []
            for i in needs[rank]:
                if i is None:
                    parts.append(values.new_full((1,), rule))
                    continue
                owner = owners[i]
                parts.append(sources[owner][taken[owner] : taken[owner] + 1])
                taken[owner] += 1
            return [parts[:radius], parts[radius:]]

        return halo, works

    def _halo(self, span: tuple[int, int], radius: int, rule: str | float) -> list[int | None]:
        """The positions on both sides of a part; None for a constant."""
        (begin, end), size = span, self.size
        if begin == end:
            return []
        places: Iterable[int] = itertools.chain(
            range(begin - radius, begin), range(end, end + radius)
        )
        if isinstance(rule, str):
            return [_RULES[rule](i, size) for i in places]
        return [i if 0 <= i < size else None for i in places]

    def _owner(self, place: int) -> int:
        return next(r for r, (a, b) in enumerate(_spans(self.lengths)) if a <= place < b)


def _tuple(value: Any) -> Components:
    return value if isinstance(value, tuple) else (value,)


def _plain(values: Components) -> Any:
    return values[0] if len(values) == 1 else values


def _length(values: Components) -> int:
    _kinds(values)
    lengths = {tuple(v.shape) for v in values}
    if len(lengths) != 1 or len(values[0].shape) != 1:
        raise ArgumentError(f"components have one dimension and equal lengths, not {lengths}")
    return len(values[0])


def _kinds(values: Components) -> programs.Kinds:
    kinds = []
    for value in values:
        view = view_of(value)
        kind = element_type_for(view.dtype) if view is not None and view.element != "bf16" else None
        if kind is None:
            raise ArgumentTypeError(f"a tensor of a type of the language is needed, not {value!r}")
        kinds.append(kind)
    return tuple(kinds)


def _pieces(length: int) -> int:
    return -(-length // programs.PIECE)


def _fair_lengths(size: int, ranks: int) -> list[int]:
    """Parts of whole pieces, but for the last one, that differ by at most one piece."""
    pieces = _pieces(size)
    ends = [min(size, pieces * (r + 1) // ranks * programs.PIECE) for r in range(ranks)]
    return [b - a for a, b in itertools.pairwise([0, *ends])]


def _spans(lengths: Sequence[int]) -> list[tuple[int, int]]:
    ends = [0, *itertools.accumulate(lengths)]
    return [*itertools.pairwise(ends)]


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> int:
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))
