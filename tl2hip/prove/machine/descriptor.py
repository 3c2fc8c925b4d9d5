"""What an assembly text says of a kernel besides its code: the descriptor (`.amdhsa_…`) and the metadata.

Both are read strictly: an entry that is not listed here, or is set to what the executor does not do, is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tl2hip.prove.machine.program import Argument, NotUnderstood

ANY: tuple[int, ...] = ()

UNDERSTOOD: Mapping[str, tuple[int, ...]] = {
    "group_segment_fixed_size": ANY,
    "private_segment_fixed_size": ANY,
    "kernarg_size": ANY,
    "user_sgpr_count": (2,),
    "user_sgpr_dispatch_ptr": (0,),
    "user_sgpr_queue_ptr": (0,),
    "user_sgpr_kernarg_segment_ptr": (1,),
    "user_sgpr_dispatch_id": (0,),
    "user_sgpr_kernarg_preload_length": (0,),
    "user_sgpr_kernarg_preload_offset": (0,),
    "user_sgpr_private_segment_size": (0,),
    "uses_dynamic_stack": (0,),
    "enable_private_segment": (0, 1),
    "system_sgpr_workgroup_id_x": (0, 1),
    "system_sgpr_workgroup_id_y": (0, 1),
    "system_sgpr_workgroup_id_z": (0, 1),
    "system_sgpr_workgroup_info": (0,),
    "system_vgpr_workitem_id": (0, 1, 2),
    "next_free_vgpr": ANY,
    "next_free_sgpr": ANY,
    "accum_offset": ANY,
    "reserve_vcc": (0, 1),
    "float_round_mode_32": (0,),  # to nearest even
    "float_round_mode_16_64": (0,),
    "float_denorm_mode_32": (3,),  # kept, read and written
    "float_denorm_mode_16_64": (3,),
    "dx10_clamp": (1,),
    "ieee_mode": (1,),
    "fp16_overflow": (0,),
    "tg_split": (0,),
    "exception_fp_ieee_invalid_op": (0,),
    "exception_fp_denorm_src": (0,),
    "exception_fp_ieee_div_zero": (0,),
    "exception_fp_ieee_overflow": (0,),
    "exception_fp_ieee_underflow": (0,),
    "exception_fp_ieee_inexact": (0,),
    "exception_int_div_zero": (0,),
}
"""Every entry of a descriptor, without `.amdhsa_`, and what it may be set to. All of them are always printed. The
only user registers are s[0:1], the address of the arguments."""

KINDS = frozenset(
    "by_value global_buffer hidden_block_count_x hidden_block_count_y hidden_block_count_z hidden_group_size_x "
    "hidden_group_size_y hidden_group_size_z hidden_remainder_x hidden_remainder_y hidden_remainder_z "
    "hidden_global_offset_x hidden_global_offset_y hidden_global_offset_z hidden_grid_dims".split()
)
"""The kinds of arguments that are understood."""

NUMBERS = frozenset(
    ".agpr_count .group_segment_fixed_size .kernarg_segment_align .kernarg_segment_size .max_flat_workgroup_size "
    ".private_segment_fixed_size .sgpr_count .sgpr_spill_count .uniform_work_group_size .vgpr_count "
    ".vgpr_spill_count .wavefront_size".split()
)
WORDS = frozenset([".name", ".symbol", ".uses_dynamic_stack"])
ARGUMENT = frozenset([".actual_access", ".address_space", ".name", ".offset", ".size", ".value_kind"])
TOP = frozenset(["amdhsa.kernels", "amdhsa.target", "amdhsa.version"])

SAME = {
    "group_segment_fixed_size": ".group_segment_fixed_size",
    "private_segment_fixed_size": ".private_segment_fixed_size",
    "kernarg_size": ".kernarg_segment_size",
}
"""Entries of the descriptor that the metadata repeats."""

FIELD = re.compile(r"((?:  )*)(- )?([.\w]+):(?: +(\S.*))?")

Line = tuple[int, str]
"""A line of the text with its number, from 1."""


def read_descriptor(lines: Iterable[Line], at: Line) -> Mapping[str, int]:
    """The entries between `.amdhsa_kernel`, which is at `at`, and `.end_amdhsa_kernel`. Raises NotUnderstood."""
    read: dict[str, int] = {}
    for number, text in lines:
        name, _, value = text.strip().partition(" ")
        key = name.removeprefix(".amdhsa_")
        if key == name or key not in UNDERSTOOD or key in read:
            raise NotUnderstood(f"the descriptor's {name}", number, text)
        if not value.isdigit() or (UNDERSTOOD[key] and int(value) not in UNDERSTOOD[key]):
            raise NotUnderstood(f"the descriptor's {name} set to {value}", number, text)
        read[key] = int(value)
    if missing := [key for key in UNDERSTOOD if key not in read]:
        raise NotUnderstood(f"a descriptor without .amdhsa_{missing[0]}", *at)
    return read


@dataclass(slots=True)
class Facts:
    """A kernel's metadata. `at` is where it starts."""

    at: Line
    numbers: dict[str, int] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    arguments: list[dict[str, str]] = field(default_factory=list)

    def given(self) -> tuple[Argument, ...]:
        """The kernel's arguments. Raises NotUnderstood for a kind that is not listed."""
        made = []
        for one in self.arguments:
            kind, offset, size = (one.get(key, "") for key in (".value_kind", ".offset", ".size"))
            if kind not in KINDS or not offset.isdigit() or not size.isdigit():
                raise NotUnderstood(f"an argument {one}", *self.at)
            made.append(Argument(int(offset), int(size), kind))
        return tuple(made)


def read_metadata(lines: Iterable[Line]) -> Mapping[str, Facts]:
    """The metadata of every kernel, by its name. Raises NotUnderstood.

    It is the part of YAML that clang prints: kernels are list items two spaces in, their arguments six.
    """
    kernels: list[Facts] = []
    for number, text in lines:
        if text in ("", "---", "...") or re.fullmatch(r"  - \d+", text):  # the last is a part of the version
            continue
        match = FIELD.fullmatch(text)
        if match is None:
            raise NotUnderstood("the metadata", number, text)
        depth, name, value = len(match[1] + (match[2] or "")) // 2, match[3], match[4] or ""
        if match[2] and depth == 2:
            kernels.append(Facts((number, text)))
        elif match[2] and depth == 4 and kernels:
            kernels[-1].arguments.append({})
        if not _keep(kernels[-1] if kernels else None, depth, name, value):
            raise NotUnderstood(f"the metadata's {name}", number, text)
    return {one.words.get(".name", ""): one for one in kernels}


def _keep(kernel: Facts | None, depth: int, name: str, value: str) -> bool:
    """Put one field where it belongs. False if nothing is known of it."""
    if depth == 0:
        return name in TOP
    if kernel is None:
        return False
    if depth == 4 and name in ARGUMENT and kernel.arguments:
        kernel.arguments[-1][name] = value
    elif depth == 2 and name in NUMBERS and value.isdigit():
        kernel.numbers[name] = int(value)
    elif depth == 2 and name in WORDS:
        kernel.words[name] = value
    else:
        return depth == 2 and name == ".args"
    return True


def check(descriptor: Mapping[str, int], facts: Facts) -> None:
    """Hold the descriptor against the metadata. Raises NotUnderstood where they differ."""
    for key, name in SAME.items():
        if facts.numbers.get(name) != descriptor[key]:
            raise NotUnderstood(f"{name} of the metadata is not .amdhsa_{key}", *facts.at)
    if facts.numbers.get(".wavefront_size") != 64:
        raise NotUnderstood("waves that are not 64 wide", *facts.at)
    if ".max_flat_workgroup_size" not in facts.numbers:
        raise NotUnderstood("metadata without .max_flat_workgroup_size", *facts.at)
