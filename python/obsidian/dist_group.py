"""The processes that share arrays, and their messages, over `torch.distributed`.

In: tensors of one device per process. Out: the tensors of the other processes, or `DistError`
within the timeout. PyTorch is imported when a group is made.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from .errors import ArgumentError, DistError

#: The components of the elements of an array: tensors of one dimension and of equal lengths.
Components = tuple[Any, ...]
#: Components lie at multiples of this number of bytes in a message, so that their type fits.
_ALIGNMENT = 16
#: Seconds between two looks at what other ranks have reported, and by how much the time limit of
#: the backend, which may end the process, is longer than that of the group.
_LOOK, _GRACE = 0.1, 20.0
_numbers = itertools.count()


class Group:
    """The processes that share arrays. Every process makes it at the same point of the program.

    Each operation ends within `timeout` seconds after its local work: with its result, or with
    `DistError` if a rank has failed, has ended or is late. A rank that has failed takes no further
    part, since the others no longer wait for it: every later operation on its group is a
    `DistError`, too.
    """

    def __init__(self, ranks: Sequence[int] | None = None, timeout: float = 60.0) -> None:
        """Make a group of all processes of `torch.distributed`, or of those with numbers `ranks`.

        The backend is that of `init_process_group`. Raises ArgumentError if that was not called,
        or if this process is not among the ranks.
        """
        self.torch: Any = importlib.import_module("torch")
        self._dist: Any = importlib.import_module("torch.distributed")
        if not self._dist.is_available() or not self._dist.is_initialized():
            raise ArgumentError("call torch.distributed.init_process_group before obs.dist.Group")
        self.timeout = timeout
        self._failure: str | None = None
        #: The collectives on a GPU that the host has not waited for.
        self._pending: list[tuple[str, Any]] = []
        self._key = f"obsidian.dist/{next(_numbers)}"
        self._store: Any = _default_store()
        with self.step("Group"):
            self._group: Any = self._make(ranks)
        if self._group is self._dist.GroupMember.NON_GROUP_MEMBER:
            raise ArgumentError(f"process {self._dist.get_rank()} is not among the ranks {ranks}")
        #: The number of this process in the group, and the number of processes.
        self.rank: int = self._dist.get_rank(self._group)
        self.size: int = self._dist.get_world_size(self._group)
        is_nccl = self._dist.get_backend(self._group) == "nccl"
        #: The device of the messages of this process.
        self.device: Any = (
            self.torch.device("cuda", self.torch.cuda.current_device())
            if is_nccl
            else self.torch.device("cpu")
        )

    def __repr__(self) -> str:
        return f"<rank {self.rank} of {self.size}>"

    def _make(self, ranks: Sequence[int] | None) -> Any:
        limit = timedelta(seconds=self.timeout + _GRACE)
        try:
            return self._dist.new_group(None if ranks is None else [*ranks], timeout=limit)
        except RuntimeError as error:
            raise self._lost("Group", error) from error

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Run one operation. If it fails here, the other ranks are informed.

        Raises DistError if the group has failed before.
        """
        if self._failure is not None:
            raise DistError(f"{name}: this group has failed before: {self._failure}")
        self._pending.clear()
        try:
            yield
            self.finish()
        except BaseException as error:
            lines = str(error).splitlines() or [""]
            self._failure = f"{type(error).__name__}: {lines[0]}"
            if not isinstance(error, DistError):
                self._report(f"rank {self._dist.get_rank()} failed in {name}: {self._failure}")
            raise

    def _report(self, message: str) -> None:
        # The process with the store may have ended, too. The other ranks detect this.
        with contextlib.suppress(RuntimeError, AttributeError):
            self._store.set(self._key, message)

    def _reported(self) -> str | None:
        with contextlib.suppress(RuntimeError, AttributeError):
            if self._store.check([self._key]):
                return str(self._store.get(self._key).decode())
        return None

    def _lost(self, name: str, error: Exception | None = None) -> DistError:
        reason = self._reported()
        if reason is None and error is None:
            reason = f"another rank is late: it did not take part within {self.timeout:g} s"
        if reason is None:
            reason = f"another rank ended or is late: {str(error).splitlines()[0]}"
        return DistError(f"{name}: {reason}")

    def _wait(self, name: str, work: Any) -> None:
        """Wait for a collective, at most for the timeout, and check whether another rank failed."""
        start = look = time.monotonic()
        while not work.is_completed():
            now = time.monotonic()
            if now - start > self.timeout:
                raise self._lost(name)
            if now - look > _LOOK:
                look = now
                if self._reported() is not None:
                    raise self._lost(name)
            if now - start > 1e-3:
                time.sleep(1e-4)
        try:
            work.wait()
        except RuntimeError as error:
            # The rank that ended may still report the reason.
            time.sleep(_LOOK)
            raise self._lost(name, error) from error

    def finish(self) -> None:
        """Wait for the collectives on a GPU, before the host reads their results."""
        while self._pending:
            self._wait(*self._pending.pop(0))

    def _order(self, name: str, work: Any) -> None:
        """Have later work on the device wait for a collective.

        On a GPU, the host waits at the end of the step, so that it can launch the next work before.
        """
        if self.device.type == "cuda":
            work.wait()
            self._pending.append((name, work))
        else:
            self._wait(name, work)

    def _start(self, name: str, operation: Any, *arguments: Any, **keywords: Any) -> Any:
        try:
            return operation(*arguments, **keywords, group=self._group, async_op=True)
        except RuntimeError as error:
            raise self._lost(name, error) from error

    def _bytes(self, value: Any) -> Any:
        # An array of no elements may have strides that no view of bytes can have.
        value = value.contiguous() if len(value) else self.torch.empty(0, dtype=value.dtype)
        return value.to(self.device).view(self.torch.uint8)

    def gather(self, name: str, values: Components, counts: Sequence[int]) -> Components:
        """The elements of all ranks in order; rank r has `counts[r]`. One all_gather of bytes."""
        torch, largest = self.torch, max(counts)
        if self.size == 1 or largest == 0:
            return values
        places = [0]
        for value in values:
            size = largest * value.element_size()
            places.append(places[-1] + -(-size // _ALIGNMENT) * _ALIGNMENT)
        width = places[-1]
        sent = torch.zeros(width, dtype=torch.uint8, device=self.device)
        for place, value in zip(places, values):
            data = self._bytes(value)
            sent[place : place + data.numel()] = data
        found = torch.empty(self.size * width, dtype=torch.uint8, device=self.device)
        self._order(name, self._start(name, self._dist.all_gather_into_tensor, found, sent))
        rows = found.view(self.size, width)
        return tuple(
            torch.cat(
                [
                    rows[r, place : place + count * value.element_size()].view(value.dtype)
                    for r, count in enumerate(counts)
                ]
            )
            for place, value in zip(places, values)
        )

    def gather_numbers(self, name: str, numbers: Sequence[int]) -> list[list[int]]:
        """The numbers of each rank, as many on each. The host waits for them."""
        own = self.torch.tensor([*numbers], dtype=self.torch.int64, device=self.device)
        (found,) = self.gather(name, (own,), [len(numbers)] * self.size)
        self.finish()
        return [[int(n) for n in row] for row in found.view(self.size, -1).tolist()]

    def add_up(self, name: str, values: Any) -> Any:
        """The sums over all ranks, of each element. Floats may be rounded in any order."""
        if self.size > 1:
            self._wait(name, self._start(name, self._dist.all_reduce, values))
        return values

    def exchange(
        self, name: str, values: Components, sent: Sequence[int], received: Sequence[int]
    ) -> Components:
        """One all_to_all: the first `sent[0]` elements go to rank 0, and so on.

        The result has `received[r]` elements of rank r, in the order of the ranks.
        """
        if self.size == 1:
            return values
        found = []
        for value in values:
            size = value.element_size()
            data = self.torch.empty(sum(received), dtype=value.dtype, device=self.device)
            work = self._start(
                name,
                self._dist.all_to_all_single,
                data.view(self.torch.uint8),
                self._bytes(value),
                [n * size for n in received],
                [n * size for n in sent],
            )
            self._wait(name, work)
            found.append(data)
        return tuple(found)

    def start_messages(
        self, name: str, sent: Iterable[tuple[int, Any]], received: Iterable[tuple[int, Any]]
    ) -> list[Any]:
        """Begin to send tensors to ranks, and to receive into tensors, as one batch."""
        dist = self._dist
        number = [
            dist.get_global_rank(self._group, rank) if self._group is not None else rank
            for rank in range(self.size)
        ]
        operations = [dist.P2POp(dist.isend, v, number[r], self._group) for r, v in sent]
        operations += [dist.P2POp(dist.irecv, v, number[r], self._group) for r, v in received]
        try:
            return [*dist.batch_isend_irecv(operations)] if operations else []
        except RuntimeError as error:
            raise self._lost(name, error) from error

    def end_messages(self, name: str, works: Iterable[Any]) -> None:
        """Wait for the messages that `start_messages` has begun."""
        end = time.monotonic() + self.timeout
        try:
            for work in works:
                work.wait(timedelta(seconds=max(0.001, end - time.monotonic())))
        except RuntimeError as error:
            time.sleep(_LOOK)
            raise self._lost(name, error) from error


def _default_store() -> Any:
    """The store of the processes, for the reason of a failure; None if it is unknown."""
    module = importlib.import_module("torch.distributed.distributed_c10d")
    get = getattr(module, "_get_default_store", None)
    return get() if get is not None else None
