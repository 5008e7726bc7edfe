# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups of processes that graphs on GPUs communicate with."""

from ..errors import FxGraphError, ToolError
from .library import native, tool_errors


class ProcessGroup:
    """This process' place in a group of processes: a communicator of NCCL, for Executable.set_process_group.

    Making one waits until all processes of the group have done so, each on its current GPU. With the target gpu-emulator, behind
    the first `compile` for it, processes are threads.

    rank, size   of this process in the group, of the group
    """

    def __init__(self, unique_id, rank, size):
        """Joins the processes that have the same `unique_id()`."""
        with tool_errors():
            self._adopt(native().ProcessGroup.create(unique_id, rank, size))

    def _adopt(self, handle):
        self.handle = handle
        self.rank, self.size = handle.info()

    @staticmethod
    def unique_id():
        """Bytes that one process makes and sends to the others."""
        with tool_errors():
            return native().ProcessGroup.unique_id()

    @classmethod
    def wrap(cls, communicator):
        """Of a communicator (the address of an ncclComm_t) that somebody else made and keeps alive."""
        self = cls.__new__(cls)
        with tool_errors():
            self._adopt(native().ProcessGroup.wrap(communicator))
        return self

    @classmethod
    def from_torch(cls, group=None):
        """A communicator for the processes of one of torch.distributed's groups (None: of all), any backend; all of them call it.

        `group` may be a name, as functional collectives have it.
        """
        import torch.distributed as dist
        if not dist.is_available() or not dist.is_initialized():
            raise FxGraphError("expected torch.distributed to be initialised, to find the other processes")
        if isinstance(group, str):
            try:
                group = dist.distributed_c10d._resolve_process_group(group)
            except (RuntimeError, ValueError, TypeError) as error:
                raise FxGraphError(f"expected a process group of torch.distributed named {group}: {error}") from None
        group = dist.group.WORLD if group is None else group
        rank = dist.get_rank(group)
        failure, message = None, [None]
        if rank == 0:
            try:
                message = [cls.unique_id()]
            except ToolError as error:  # The others wait for a message.
                failure = error
        dist.broadcast_object_list(message, src=dist.get_global_rank(group, 0), group=group)
        if message[0] is None:
            raise failure or ToolError("rank 0 of the process group has no NCCL")
        return cls(message[0], rank, dist.get_world_size(group))

    def __repr__(self):
        return f"<fxgraph.ProcessGroup: rank {self.rank} of {self.size}>"
