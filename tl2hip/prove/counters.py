"""What gfx942 assembly says about each kernel: registers, spills, LDS, occupancy, and its loops' instructions.

Reads the text that clang's `-S` writes: the metadata at its end, the notes after each kernel, and one
instruction a line. Figures of the metadata are exact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tl2hip.prove.control_flow import find_loops, read_blocks

LDS_LIMIT = 65_536  # bytes a workgroup; AMD CDNA 3 white paper

LABEL = re.compile(r"^([A-Za-z_.$][\w.$]*):")
NOTE = re.compile(r"; (\w+)(?: =|:) (\d+)")
FUNCTION = re.compile(r"\s*\.type\s+(\S+),@function")
INSTRUCTION = re.compile(r"\t[a-z]")
FIELD = re.compile(r"^\s+(?:- )?\.(\w+):\s+(\S+)$")
SYMBOL = re.compile(r"([\w.$]+)@(?:rel32|gotpcrel32)@")
MANGLED = re.compile(r"^_Z(?:L|N)?(\d+)(\w+)$")
ENCODING = re.compile(r"_(?:e32|e64|dpp|sdwa)$")
GLOBAL = re.compile(r"^(?:global|flat|buffer)_(load|store|atomic)_(\w+?)(?:_d16(?:_hi)?)?$")
LDS_ACCESS = re.compile(r"^ds_(read|write|load|store)(2(?:st64)?)?_(\w+?)(?:_d16(?:_hi)?)?$")
LDS_EXCHANGE = ("ds_bpermute", "ds_permute", "ds_swizzle")
TRANSCENDENTAL = re.compile(r"^v_(?:exp|log|rcp|rsq|sqrt|sin|cos)_")


@dataclass(frozen=True, slots=True)
class Mix:
    """How many instructions of each kind a piece of code has, one wave, one pass.

    Loads and stores are keyed by the width in the mnemonic (`dwordx4`, `b128`, `2xb64`). `drains` are waits for
    every outstanding global access (`vmcnt(0)`); `exchanges` go through the LDS pipe without its memory;
    `hints` are priorities and the like.
    """

    total: int
    mfma: int
    valu: int
    transcendental: int
    salu: int
    scalar_loads: int
    global_loads: Mapping[str, int]
    global_stores: Mapping[str, int]
    global_atomics: int
    scratch: int
    lds_reads: Mapping[str, int]
    lds_writes: Mapping[str, int]
    exchanges: int
    waits: int
    drains: int
    barriers: int
    branches: int
    nops: int
    hints: int

    @property
    def memory(self) -> int:
        """Global and LDS accesses together."""
        maps = (self.global_loads, self.global_stores, self.lds_reads, self.lds_writes)
        return self.global_atomics + sum(sum(one.values()) for one in maps)


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop: its label, its depth (1 is outermost), all its code, and its code without the loops inside, which
    `code` holds line by line."""

    label: str
    depth: int
    innermost: bool
    all: Mix
    own: Mix
    code: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KernelCounters:
    """What the compiler made of one kernel.

    `name` is as in the source, `symbol` as in the object. `occupancy` is waves a SIMD by the compiler's own count,
    `threads` the largest block that it compiled for. `undefined` are symbols that nothing defines. `straight` are
    the lines of `code` that stand in no loop.
    """

    name: str
    symbol: str
    vgprs: int
    agprs: int
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    scratch_bytes: int
    lds_bytes: int
    occupancy: int
    threads: int
    code_bytes: int
    calls: int
    undefined: tuple[str, ...]
    whole: Mix
    loops: tuple[Loop, ...]
    code: tuple[str, ...]
    straight: tuple[str, ...]

    @property
    def registers(self) -> int:
        """Vector registers of both kinds: accumulation registers begin at a multiple of 4 (LLVM, AMDGPUUsage)."""
        return -(-self.vgprs // 4) * 4 + self.agprs if self.agprs else self.vgprs

    @property
    def hot(self) -> Loop | None:
        """The loop that matters: an innermost one with most matrix instructions, else the one with most of its own,
        then most memory accesses, then deepest."""
        if not self.loops:
            return None
        return max(self.loops, key=_weight)

    def problems(self) -> tuple[str, ...]:
        """What fails rung 0, in words: calls, undefined symbols, too much LDS."""
        found = []
        if self.undefined:
            found.append(f"{self.name} calls {', '.join(self.undefined)}, which gfx942 does not have")
        elif self.calls:
            found.append(f"{self.name} makes {self.calls} calls; device code must be inlined")
        if self.lds_bytes > LDS_LIMIT:
            found.append(f"{self.name} needs {self.lds_bytes:,} bytes of LDS; gfx942 has {LDS_LIMIT:,}")
        return tuple(found)

    def warnings(self) -> tuple[str, ...]:
        """What costs speed: spilled registers and scratch memory."""
        found = []
        if self.vgpr_spills or self.sgpr_spills:
            found.append(f"{self.name} spills {self.vgpr_spills} vector and {self.sgpr_spills} scalar registers")
        if self.scratch_bytes:
            found.append(f"{self.name} keeps {self.scratch_bytes} bytes a thread in scratch memory")
        return tuple(found)


def _weight(loop: Loop) -> tuple[int, ...]:
    """How much a loop matters. One around another may hold as many matrix instructions in the code beside it."""
    own = loop.own
    return (own.mfma if loop.innermost else 0, own.mfma, own.memory, loop.depth, own.total)


def read_counters(assembly: str) -> tuple[KernelCounters, ...]:
    """The counters of every kernel in an assembly text, in its order.

    Raises ValueError when the text has no kernel metadata, that is, is not what clang writes for AMD GPUs.
    """
    described = _metadata(assembly)
    if not described:
        raise ValueError("no kernel in this assembly text")
    lines = assembly.splitlines()
    defined = {match[1] for line in lines if (match := LABEL.match(line))}
    bodies = _bodies(lines)
    return tuple(_kernel(facts, *bodies[facts["name"]], defined) for facts in described if facts["name"] in bodies)


def _kernel(
    facts: Mapping[str, str], code: Sequence[str], notes: Mapping[str, int], defined: set[str]
) -> KernelCounters:
    used = {name for line in code for name in SYMBOL.findall(line)}
    instructions = [line for line in code if not LABEL.match(line)]
    loops, straight = _loops(code)
    return KernelCounters(
        name=source_name(facts["name"]),
        symbol=facts["name"],
        vgprs=notes.get("NumVgprs", int(facts["vgpr_count"])),
        agprs=int(facts.get("agpr_count", 0)),
        sgprs=int(facts["sgpr_count"]),
        vgpr_spills=int(facts["vgpr_spill_count"]),
        sgpr_spills=int(facts["sgpr_spill_count"]),
        scratch_bytes=int(facts["private_segment_fixed_size"]),
        lds_bytes=int(facts["group_segment_fixed_size"]),
        occupancy=notes.get("Occupancy", 0),
        threads=int(facts["max_flat_workgroup_size"]),
        code_bytes=notes.get("codeLenInByte", 0),
        calls=sum(line.startswith("s_swappc") for line in instructions),
        undefined=tuple(sorted(used - defined)),
        whole=mix(instructions),
        loops=loops,
        code=tuple(instructions),
        straight=straight,
    )


def source_name(symbol: str) -> str:
    """A kernel's name in the source, from its mangled one (template arguments and parameters left out)."""
    match = MANGLED.match(symbol)
    return match[2][: int(match[1])] if match else symbol


def _metadata(assembly: str) -> list[dict[str, str]]:
    """The scalar fields of each entry of `amdhsa.kernels`."""
    _, _, rest = assembly.partition("\namdhsa.kernels:\n")
    entries: list[dict[str, str]] = []
    for line in rest.partition("\namdhsa.")[0].splitlines():
        if line.startswith("  - "):
            entries.append({})
        match = FIELD.match(line)
        if match and entries and len(line) - len(line.lstrip(" -")) == 4:
            entries[-1][match[1]] = match[2].strip("'\"")
    return [entry for entry in entries if "name" in entry]


def _bodies(lines: Sequence[str]) -> dict[str, tuple[list[str], dict[str, int]]]:
    """For each function its labels and instructions, and the numbers that the compiler notes after it."""
    functions = {match[1] for line in lines if (match := FUNCTION.match(line))}
    found: dict[str, tuple[list[str], dict[str, int]]] = {}
    name, open_ = "", False
    for line in lines:
        label = LABEL.match(line)
        if label and label[1] in functions:
            name, open_ = label[1], True
            found[name] = ([], {})
        elif label and label[1].startswith(".Lfunc_end"):
            open_ = False
        elif open_ and label:
            found[name][0].append(f"{label[1]}:")
        elif open_ and INSTRUCTION.match(line):
            found[name][0].append(line.partition(";")[0].strip())
        elif name and not open_ and (note := NOTE.match(line)):
            found[name][1].setdefault(note[1], int(note[2]))
    return found


def _loops(code: Sequence[str]) -> tuple[tuple[Loop, ...], tuple[str, ...]]:
    """The loops of a function, outer ones first, and the lines that stand in none of them."""
    blocks = read_blocks(code)
    natural = find_loops(blocks)
    loops = []
    for loop in natural:
        inner = [other.blocks for other in natural if other.blocks < loop.blocks]
        depth = sum(loop.blocks <= other.blocks for other in natural)
        own = loop.blocks.difference(*inner)
        whole, alone = ([line for at in sorted(part) for line in blocks[at].code] for part in (loop.blocks, own))
        loops.append(Loop(blocks[loop.header].label, depth, not inner, mix(whole), mix(alone), tuple(alone)))
    inside = frozenset[int]().union(*(loop.blocks for loop in natural))
    straight = (line for at in range(len(blocks)) if at not in inside for line in blocks[at].code)
    return tuple(loops), tuple(straight)


def mix(code: Sequence[str]) -> Mix:
    """Count the instructions among lines of code; labels are left out."""
    kinds: Counter[str] = Counter()
    widths: dict[str, Counter[str]] = {name: Counter() for name in ("gl", "gs", "lr", "lw")}
    for line in code:
        if line.endswith(":"):
            continue
        operation = ENCODING.sub("", line.split(None, 1)[0])
        kinds["total"] += 1
        kind, width = classify(operation)
        if width:
            widths[kind][width] += 1
        else:
            kinds[kind] += 1
        kinds["trans"] += bool(TRANSCENDENTAL.match(operation))
        kinds["drain"] += kind == "wait" and "vmcnt(0)" in line
    return Mix(
        total=kinds["total"], mfma=kinds["mfma"], valu=kinds["valu"], transcendental=kinds["trans"],
        salu=kinds["salu"], scalar_loads=kinds["smem"], global_loads=dict(sorted(widths["gl"].items())),
        global_stores=dict(sorted(widths["gs"].items())), global_atomics=kinds["atomic"], scratch=kinds["scratch"],
        lds_reads=dict(sorted(widths["lr"].items())), lds_writes=dict(sorted(widths["lw"].items())),
        exchanges=kinds["exchange"], waits=kinds["wait"], drains=kinds["drain"], barriers=kinds["barrier"],
        branches=kinds["branch"], nops=kinds["nop"], hints=kinds["hint"],
    )  # fmt: skip


def classify(operation: str) -> tuple[str, str]:
    """The kind of a mnemonic, and its width when it is a load or store counted by width.

    Raises ValueError for a mnemonic of no known family: counts are never guesses.
    """
    if operation.startswith(("v_mfma_", "v_smfmac_")):
        return "mfma", ""
    if operation.startswith("v_"):
        return "valu", ""
    if operation.startswith("s_"):
        return _scalar(operation), ""
    if operation.startswith("scratch_"):
        return "scratch", ""
    if operation.startswith(LDS_EXCHANGE):
        return "exchange", ""
    if match := LDS_ACCESS.match(operation):
        kind = "lr" if match[1] in ("read", "load") else "lw"
        return kind, f"2x{match[3]}" if match[2] else match[3]
    if operation.startswith("ds_"):
        return "lds_other", ""
    if match := GLOBAL.match(operation):
        return ("atomic", "") if match[1] == "atomic" else ("gl" if match[1] == "load" else "gs", match[2])
    if operation.startswith("buffer_"):  # cache control: buffer_inv, buffer_wbl2
        return "cache", ""
    raise ValueError(f"unknown instruction {operation}")


def _scalar(operation: str) -> str:
    if operation.startswith(("s_load_", "s_buffer_load_", "s_memtime", "s_dcache")):
        return "smem"
    if operation.startswith("s_waitcnt"):
        return "wait"
    if operation == "s_barrier":
        return "barrier"
    if operation.startswith(("s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_endpgm", "s_getpc", "s_call")):
        return "branch"
    if operation.startswith(("s_setprio", "s_sleep", "s_sethalt", "s_icache")):
        return "hint"
    return "nop" if operation == "s_nop" else "salu"
