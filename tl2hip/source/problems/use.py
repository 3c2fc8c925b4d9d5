"""Command line and configuration (TL8xx)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem


@dataclass(frozen=True)
class BadUse(Problem):
    """Arguments that do not go together."""

    code: ClassVar[str] = "TL801"
    title: ClassVar[str] = "arguments that cannot be used"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{instead}"
    why: ClassVar[str] = (
        "The command line does what it is told or says why it cannot; nothing that was asked for is left out"
        " without a word. `tl2hip COMMAND --help` lists the options of a command."
    )
    example: ClassVar[str] = "tl2hip emit gemm.py --set M=many\n"
    rewrite: ClassVar[str] = "tl2hip emit gemm.py --set M=1024\n"

    reason: str
    instead: str


@dataclass(frozen=True)
class NoKernel(Problem):
    """Nothing to convert."""

    code: ClassVar[str] = "TL802"
    title: ClassVar[str] = "no kernel to convert"
    message: ClassVar[str] = "no kernel was found"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "Kernels are functions at file level with `@kernel`, with a `Tensor` annotation or with `CompileKernel`,"
        " in files that import tl2hip. Other functions are read only when they are asked for by name or with"
        " `--all`."
    )
    example: ClassVar[str] = "tl2hip emit helpers.py\n"
    rewrite: ClassVar[str] = "tl2hip emit helpers.py --kernel scale\n"

    way: str = (
        "put @kernel on a function or annotate a parameter with Tensor; --kernel NAME and --all take functions"
        " without a mark"
    )


@dataclass(frozen=True)
class NoSuchFunction(Problem):
    """`--kernel` names a function that no file has."""

    code: ClassVar[str] = "TL803"
    title: ClassVar[str] = "no function of that name"
    message: ClassVar[str] = "no function named `{name}` was found"
    help: ClassVar[str] = "{known}"
    why: ClassVar[str] = (
        "`--kernel` chooses functions at file level by their names; each name must be found in one of the files."
    )
    example: ClassVar[str] = "tl2hip emit gemm.py --kernel gem\n"
    rewrite: ClassVar[str] = "tl2hip emit gemm.py --kernel gemm\n"

    name: str
    known: str


@dataclass(frozen=True)
class SeveralInputs(Problem):
    """Several files, and no folder to write them to."""

    code: ClassVar[str] = "TL804"
    title: ClassVar[str] = "several inputs without a folder for them"
    message: ClassVar[str] = "several inputs cannot be written to {where}"
    help: ClassVar[str] = "name a folder with -o DIR/, or look at the changes with --check or --diff"
    why: ClassVar[str] = (
        "Each source gives one self-contained HIP file; files put one after the other would define helpers"
        " twice. In a folder given with `-o`, every output has the place that its source has in its own folder."
    )
    example: ClassVar[str] = "tl2hip emit kernels/\n"
    rewrite: ClassVar[str] = "tl2hip emit kernels/ -o hip/\n"

    where: str


@dataclass(frozen=True)
class SameOutput(Problem):
    """Two sources would be written to one file."""

    code: ClassVar[str] = "TL805"
    title: ClassVar[str] = "two sources for one output"
    message: ClassVar[str] = "{output} would be written for {first} and for this file"
    help: ClassVar[str] = "convert the folder above both, or give each an output of its own"
    why: ClassVar[str] = (
        "A file named on the command line is written under its own name; a file found in a folder keeps its place"
        " below that folder. The first source that wants an output has it, later ones are refused."
    )
    example: ClassVar[str] = "tl2hip emit a/kernel.py b/kernel.py -o hip/\n"
    rewrite: ClassVar[str] = "tl2hip emit . -o hip/\n"

    output: str
    first: str


@dataclass(frozen=True)
class ForeignOutput(Problem):
    """The output exists, and tl2hip did not write it."""

    code: ClassVar[str] = "TL806"
    title: ClassVar[str] = "an output that tl2hip did not write"
    message: ClassVar[str] = "{output} exists and was not written by tl2hip"
    help: ClassVar[str] = "choose another output with -o, or move that file away"
    why: ClassVar[str] = (
        "Files that tl2hip writes say so in their first line. Any other file may be somebody's work, the source"
        " itself among them, and is never overwritten."
    )
    example: ClassVar[str] = "tl2hip emit gemm.py -o gemm.py\n"
    rewrite: ClassVar[str] = "tl2hip emit gemm.py -o gemm.hip\n"

    output: str


@dataclass(frozen=True)
class Unwritable(Problem):
    """The output cannot be written."""

    code: ClassVar[str] = "TL807"
    title: ClassVar[str] = "an output that cannot be written"
    message: ClassVar[str] = "{output} cannot be written: {reason}"
    help: ClassVar[str] = "choose another output with -o, or free the place"
    why: ClassVar[str] = (
        "Outputs are written to a new file beside their place, which then takes it in one step. Where that fails"
        " nothing has changed."
    )
    example: ClassVar[str] = "tl2hip emit gemm.py -o /proc/gemm.hip\n"
    rewrite: ClassVar[str] = "tl2hip emit gemm.py -o gemm.hip\n"

    output: str
    reason: str


@dataclass(frozen=True)
class OutputGiven(Problem):
    """What tl2hip printed is given to it as a source."""

    code: ClassVar[str] = "TL808"
    title: ClassVar[str] = "an output given as a source"
    message: ClassVar[str] = "this file was written by tl2hip; it is no source"
    help: ClassVar[str] = "give the Python file that it was made from"
    why: ClassVar[str] = (
        "tl2hip reads Python. In folders, files that it wrote are passed over, whatever their names."
    )
    example: ClassVar[str] = "tl2hip emit gemm.hip\n"
    rewrite: ClassVar[str] = "tl2hip emit gemm.py\n"


@dataclass(frozen=True)
class UnknownCode(Problem):
    """`explain` is asked for a code that does not exist."""

    code: ClassVar[str] = "TL809"
    title: ClassVar[str] = "no such code"
    message: ClassVar[str] = "there is no code {asked}"
    help: ClassVar[str] = "the codes nearest to it are {near}"
    why: ClassVar[str] = (
        "Codes are TL and three digits; the first tells what they are about: 1 reading, 2 marks, 3 types, 4"
        " dependence, 5 planning, 6 rules, 7 proving, 8 use."
    )
    example: ClassVar[str] = "tl2hip explain TL999\n"
    rewrite: ClassVar[str] = "tl2hip explain TL101\n"

    asked: str
    near: str


@dataclass(frozen=True)
class CannotImport(Problem):
    """The user's file does not run, so there is no function to compare with."""

    code: ClassVar[str] = "TL810"
    title: ClassVar[str] = "the Python file does not run"
    message: ClassVar[str] = "running this file to compare with it raised {error}"
    help: ClassVar[str] = "mend the file so that `python FILE` runs"
    why: ClassVar[str] = (
        "`tl2hip verify` runs the Python file, because its functions are what the printed HIP is compared with."
        " No other command does."
    )
    example: ClassVar[str] = "import tl2hip\nimport a_module_that_is_not_there\n"
    rewrite: ClassVar[str] = "import tl2hip\n"

    error: str


@dataclass(frozen=True)
class WorkerDied(Problem):
    """A process of `--jobs` ended while it converted a file."""

    code: ClassVar[str] = "TL811"
    title: ClassVar[str] = "a process ended before its work was done"
    message: ClassVar[str] = "the process that converted this file ended (out of memory, or stopped from outside)"
    help: ClassVar[str] = "convert this file by itself, or use fewer --jobs"
    why: ClassVar[str] = (
        "`--jobs N` converts files in N processes. When one of them ends, the files it had are told, and the others"
        " are converted all the same."
    )
    example: ClassVar[str] = "tl2hip emit kernels/ -o hip/ --jobs 64\n"
    rewrite: ClassVar[str] = "tl2hip emit kernels/ -o hip/ --jobs 4\n"


@dataclass(frozen=True)
class NothingToMark(Problem):
    """A kernel that `tune` has nothing to say of."""

    code: ClassVar[str] = "TL812"
    title: ClassVar[str] = "no loop that marks can be tried on"
    message: ClassVar[str] = "`{name}` has no loop over a range whose marks may change"
    help: ClassVar[str] = "{way}"
    why: ClassVar[str] = (
        "`tl2hip tune` writes `i: Tile[int, …]` above loops `for i in range(…)`. Tiles of other notations are sizes"
        " in their own loops, array expressions have no loops to name, and loops that are `serial`, marked by"
        " `tiled`, in quotes, with a comment inside, or with something else than numbers stay as they are."
    )
    example: ClassVar[str] = "tl2hip tune gemm_tiles.py\n"
    rewrite: ClassVar[str] = "tl2hip emit gemm_tiles.py --stop-after nest\n"

    name: str
    way: str = "write it as loops over elements: `tl2hip emit --stop-after nest` prints these, but no signature"


@dataclass(frozen=True)
class ChangedMeanwhile(Problem):
    """A file that is not what was tuned any more."""

    code: ClassVar[str] = "TL813"
    title: ClassVar[str] = "a file that changed while it was tuned"
    message: ClassVar[str] = "this file is not what was tuned any more: nothing is written"
    help: ClassVar[str] = "run the same command again: what is judged is kept"
    why: ClassVar[str] = (
        "A search takes a while, and `--apply` writes into your file. Where that was changed since it was read, the"
        " change would be lost."
    )
    example: ClassVar[str] = "tl2hip tune gemm.py --apply\n"
    rewrite: ClassVar[str] = "tl2hip tune gemm.py --apply\n"
