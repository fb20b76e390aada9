"""Sums and running sums of an array that is distributed over several processes.

On GPUs, each process has one GPU. Start the program with one process for each GPU, or with any
number of processes on the emulator. The output is the same, bit for bit, also of floats.

    torchrun --nproc-per-node=2 examples/python/dist_sum.py

Each process has a part of the array. One message contains the sums of pieces of 4096 elements, and
every process adds them in the same order. Needs PyTorch.

>>> add(1.5, 2.0)
3.5
"""

from obsidian import dist


def add(a, b):
    return a + b


def main() -> None:
    import torch

    on_gpus = torch.cuda.is_available() and torch.distributed.is_nccl_available()
    torch.distributed.init_process_group("nccl" if on_gpus else "gloo")
    if on_gpus:
        torch.cuda.set_device(torch.distributed.get_node_local_rank())
    group = dist.Group(timeout=60)
    whole = torch.sin(torch.arange(100_000, dtype=torch.float32)).to(group.device)
    array = dist.shard(whole, group)
    total, running = array.reduce(add, 0.0), array.scan(add, 0.0).gather()
    if group.rank == 0:
        print(f"the sum is {total.item():.9g}, and {running[49_999].item():.9g} after 50000")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
