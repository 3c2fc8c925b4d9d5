"""What the reader refuses: syntax, constructs, names of kernels (TL1xx)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem

# --- files (TL10x) ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NotPython(Problem):
    code: ClassVar[str] = "TL101"
    title: ClassVar[str] = "Not valid Python"
    message: ClassVar[str] = "not valid Python: {reason}"
    help: ClassVar[str] = "python itself refuses this file; make `python -m py_compile` pass first"
    why: ClassVar[str] = (
        "A kernel is an ordinary Python function that runs as it stands. The message and the place are "
        "those of the Python that runs tl2hip: a file that uses newer syntax needs that newer Python here "
        "too."
    )
    example: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel

N = dims("N")

@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N)
        Y[i] = X[i] * 2
"""
    rewrite: ClassVar[str] = """\
from tl2hip import Tensor, dims, f32, kernel

N = dims("N")

@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    reason: str


@dataclass(frozen=True)
class TooDeep(Problem):
    code: ClassVar[str] = "TL102"
    title: ClassVar[str] = "Nested too deeply"
    message: ClassVar[str] = "nested too deeply: more than {limit} levels"
    help: ClassVar[str] = "name the parts of the long expression, or use a loop"
    why: ClassVar[str] = (
        "Parsers and all later stages walk an expression level by level, and each term of a long chain such "
        "as `a + b + c + …` is one level. A file beyond the limit is refused as a whole, before it can "
        "exhaust the stack of the process."
    )
    example: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, 600], Y: Tensor[f32, 1]) -> None:
    Y[0] = X[0] + X[1] + X[2] + ...  # and so on, 600 terms written out
"""
    rewrite: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, 600], Y: Tensor[f32, 1]) -> None:
    s = f32(0)
    for i in range(600):
        s += X[i]
    Y[0] = s
"""
    limit: int


@dataclass(frozen=True)
class Unreadable(Problem):
    code: ClassVar[str] = "TL103"
    title: ClassVar[str] = "The file cannot be read"
    message: ClassVar[str] = "cannot be read: {reason}"
    help: ClassVar[str] = "give the path of a Python file that you may read"
    why: ClassVar[str] = "The file is missing, is no file, or the system refuses to open it."
    example: ClassVar[str] = "tl2hip emit no_such_file.py\n"
    rewrite: ClassVar[str] = "tl2hip emit kernel.py\n"
    reason: str


@dataclass(frozen=True)
class Undecodable(Problem):
    code: ClassVar[str] = "TL104"
    title: ClassVar[str] = "Bytes that are not text"
    message: ClassVar[str] = "not text in the encoding {encoding}: {reason}"
    help: ClassVar[str] = (
        "save the file as UTF-8, or name its encoding in the first line (`# coding: latin-1`)"
    )
    why: ClassVar[str] = (
        "Python reads source as UTF-8 unless a byte order mark or a `coding` comment in the first two lines "
        "says otherwise, and so does tl2hip. A byte that does not fit is never guessed at."
    )
    example: ClassVar[str] = "# a comment saved as latin-1 with the single byte E9 for é\n"
    rewrite: ClassVar[str] = "# coding: latin-1\n# the same comment, the encoding named\n"
    encoding: str
    reason: str


@dataclass(frozen=True)
class UnknownSyntax(Problem):
    code: ClassVar[str] = "TL105"
    title: ClassVar[str] = "Syntax that tl2hip does not know"
    message: ClassVar[str] = "tl2hip does not know this syntax: {what}"
    help: ClassVar[str] = "write it in older Python"
    why: ClassVar[str] = (
        "Python accepts this, but it is newer than tl2hip's reader. Every construct is either understood or "
        "refused; one that is not known is never skipped."
    )
    example: ClassVar[str] = "# whatever the next Python brings\n"
    rewrite: ClassVar[str] = "# the same in the Python of today\n"
    what: str


@dataclass(frozen=True)
class AnnotationText(Problem):
    code: ClassVar[str] = "TL106"
    title: ClassVar[str] = "A quoted annotation that is no expression"
    message: ClassVar[str] = "the quoted annotation is no expression: {reason}"
    help: ClassVar[str] = "write the annotation without quotes, or correct it"
    why: ClassVar[str] = (
        "An annotation in quotes means the expression in it. Python never looks inside, tl2hip does: an "
        "annotation is honoured or refused."
    )
    example: ClassVar[str] = """\
@kernel
def double(X: "Tensor[f32, N", Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    rewrite: ClassVar[str] = """\
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    reason: str


# --- functions (TL11x) -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class NotAtFileLevel(Problem):
    code: ClassVar[str] = "TL110"
    title: ClassVar[str] = "A kernel that is not at file level"
    message: ClassVar[str] = "kernel {name} stands inside {holder}"
    help: ClassVar[str] = "move it to file level; what it takes from around it becomes a parameter"
    why: ClassVar[str] = (
        "A function inside a class or another function may use names that exist only while that one runs. "
        "The command line reads files and never runs them, so it converts functions at file level."
    )
    example: ClassVar[str] = """\
class Ops:
    @kernel
    def double(self, X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
        for i in range(N):
            Y[i] = X[i] * self.factor
"""
    rewrite: ClassVar[str] = """\
@kernel
def scale(X: Tensor[f32, N], Y: Tensor[f32, N], factor: f32) -> None:
    for i in range(N):
        Y[i] = X[i] * factor
"""
    name: str
    holder: str


@dataclass(frozen=True)
class DefinedTwice(Problem):
    code: ClassVar[str] = "TL111"
    title: ClassVar[str] = "Two functions of one name"
    message: ClassVar[str] = "{name} is defined again; the first is in line {line}"
    help: ClassVar[str] = "give each function a name of its own"
    why: ClassVar[str] = (
        "Python calls the later of two functions with one name. Two kernels, or a kernel's helper, under "
        "one name would make one printed file stand for two functions."
    )
    example: ClassVar[str] = """\
@kernel
def scale(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 2

@kernel
def scale(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 3
"""
    rewrite: ClassVar[str] = """\
@kernel
def scale2(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 2

@kernel
def scale3(X: Tensor[f32, N]) -> None:
    for i in range(N):
        X[i] = X[i] * 3
"""
    name: str
    line: int


@dataclass(frozen=True)
class OtherDecorator(Problem):
    code: ClassVar[str] = "TL112"
    title: ClassVar[str] = "A decorator other than @kernel"
    message: ClassVar[str] = "the decorator {name} may change what the function does"
    help: ClassVar[str] = "remove it; a kernel carries `@kernel`, a helper function none"
    why: ClassVar[str] = (
        "A decorator replaces the function by whatever it returns, and that is known only when it runs. "
        "tl2hip prints what the function says, so nothing may stand between the two."
    )
    example: ClassVar[str] = """\
@cache
def weight(x):
    return x * x

@kernel
def apply(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = weight(X[i])
"""
    rewrite: ClassVar[str] = """\
def weight(x):
    return x * x

@kernel
def apply(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = weight(X[i])
"""
    name: str


@dataclass(frozen=True)
class OpenParameters(Problem):
    code: ClassVar[str] = "TL113"
    title: ClassVar[str] = "Parameters without a fixed number"
    message: ClassVar[str] = "{what} has no fixed number of arguments"
    help: ClassVar[str] = "name each parameter"
    why: ClassVar[str] = (
        "A HIP kernel has a fixed list of parameters, each with a type. `*args` and `**options` leave both "
        "open until the call."
    )
    example: ClassVar[str] = """\
@kernel
def add(Y: Tensor[f32, N], *X: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[0][i] + X[1][i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def add(Y: Tensor[f32, N], A: Tensor[f32, N], B: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = A[i] + B[i]
"""
    what: str


@dataclass(frozen=True)
class DefinitionInside(Problem):
    code: ClassVar[str] = "TL114"
    title: ClassVar[str] = "A definition inside a kernel"
    message: ClassVar[str] = "{what} inside a kernel"
    help: ClassVar[str] = "define a function at file level and call it by its name"
    why: ClassVar[str] = (
        "Functions and classes made while the kernel runs are values that may be stored, returned and may "
        "capture variables. A kernel may call functions at file level; these are read and put in place."
    )
    example: ClassVar[str] = """\
@kernel
def squares(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    square = lambda x: x * x
    for i in range(N):
        Y[i] = square(X[i])
"""
    rewrite: ClassVar[str] = """\
def square(x):
    return x * x

@kernel
def squares(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = square(X[i])
"""
    what: str


@dataclass(frozen=True)
class Recursion(Problem):
    code: ClassVar[str] = "TL115"
    title: ClassVar[str] = "Recursion"
    message: ClassVar[str] = "{name} calls itself{through}"
    help: ClassVar[str] = "write it as a loop"
    why: ClassVar[str] = (
        "Called functions are put in place of the call, so that a kernel is one nest of loops whose "
        "registers and memory are known before it runs. Recursion has no such bound."
    )
    example: ClassVar[str] = """\
def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)

@kernel
def cubes(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = power(X[i], 3)
"""
    rewrite: ClassVar[str] = """\
@kernel
def cubes(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        p = f32(1)
        for n in range(3):
            p *= X[i]
        Y[i] = p
"""
    name: str
    through: str


@dataclass(frozen=True)
class ImportInside(Problem):
    code: ClassVar[str] = "TL116"
    title: ClassVar[str] = "An import inside a kernel"
    message: ClassVar[str] = "an import inside a kernel"
    help: ClassVar[str] = "move the import to the top of the file"
    why: ClassVar[str] = (
        "What `np` or `exp` stands for is settled once, by the imports of the file. An import inside a "
        "function could mean another thing from one call to the next."
    )
    example: ClassVar[str] = """\
@kernel
def roots(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    import math
    for i in range(N):
        Y[i] = math.sqrt(X[i])
"""
    rewrite: ClassVar[str] = """\
import math

@kernel
def roots(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = math.sqrt(X[i])
"""


@dataclass(frozen=True)
class TypeParameters(Problem):
    code: ClassVar[str] = "TL117"
    title: ClassVar[str] = "Type parameters"
    message: ClassVar[str] = "{name} has type parameters"
    help: ClassVar[str] = "write one function for each dtype; a helper function needs no annotations at all"
    why: ClassVar[str] = (
        "A kernel is printed for the dtypes that its annotations name; a type parameter names none."
    )
    example: ClassVar[str] = """\
@kernel
def double[T](X: Tensor[T, N], Y: Tensor[T, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    rewrite: ClassVar[str] = """\
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    name: str


# --- statements (TL12x) ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class LoopElse(Problem):
    code: ClassVar[str] = "TL120"
    title: ClassVar[str] = "`else` of a loop"
    message: ClassVar[str] = "`{loop} … else` inside a kernel"
    help: ClassVar[str] = "note in a variable whether the loop was left early, and test it after the loop"
    why: ClassVar[str] = (
        "The `else` of a loop runs unless a `break` left it. Thousands of lanes run the loop side by side "
        "and leave it at different times; a variable says plainly what each of them found."
    )
    example: ClassVar[str] = """\
@kernel
def positive(X: Tensor[f32, M, N], Y: Tensor[i32, M]) -> None:
    for i in range(M):
        for j in range(N):
            if X[i, j] <= 0:
                Y[i] = 0
                break
        else:
            Y[i] = 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def positive(X: Tensor[f32, M, N], Y: Tensor[i32, M]) -> None:
    for i in range(M):
        found = i32(1)
        for j in range(N):
            if X[i, j] <= 0:
                found = i32(0)
        Y[i] = found
"""
    loop: str


@dataclass(frozen=True)
class Exceptions(Problem):
    code: ClassVar[str] = "TL121"
    title: ClassVar[str] = "Exceptions"
    message: ClassVar[str] = "`{word}` inside a kernel"
    help: ClassVar[str] = "test the value with `if`; state a condition on sizes with `assert`"
    why: ClassVar[str] = (
        "A GPU lane cannot raise or catch. Where Python would raise, a kernel stays in bounds and gives the "
        "IEEE value; conditions on the arguments are written as `assert` and checked before the launch."
    )
    example: ClassVar[str] = """\
@kernel
def inverse(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        try:
            Y[i] = 1 / X[i]
        except ZeroDivisionError:
            Y[i] = 0
"""
    rewrite: ClassVar[str] = """\
@kernel
def inverse(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        if X[i] == 0:
            Y[i] = 0
        else:
            Y[i] = 1 / X[i]
"""
    word: str


@dataclass(frozen=True)
class OtherContext(Problem):
    code: ClassVar[str] = "TL122"
    title: ClassVar[str] = "A `with` that means nothing to a kernel"
    message: ClassVar[str] = "`with {context}` inside a kernel"
    help: ClassVar[str] = (
        "only `with PipelineStage(…):` and `with Unroll(…):` of tl2hip, one at a time, have a meaning here"
    )
    why: ClassVar[str] = (
        "A context manager runs code on entering and leaving. Only tl2hip's own contexts say something "
        "about the printed kernel; any other would be silently dropped, so it is refused."
    )
    example: ClassVar[str] = """\
@kernel
def roots(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    with np.errstate(invalid="ignore"):
        for i in range(N):
            Y[i] = np.sqrt(X[i])
"""
    rewrite: ClassVar[str] = """\
@kernel
def roots(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = np.sqrt(X[i])
"""
    context: str


@dataclass(frozen=True)
class Suspends(Problem):
    code: ClassVar[str] = "TL123"
    title: ClassVar[str] = "A function that pauses"
    message: ClassVar[str] = "`{word}` in a kernel"
    help: ClassVar[str] = "write the results into an array parameter instead"
    why: ClassVar[str] = (
        "`yield`, `await` and `async` hand control back to the caller in the middle of the function. A "
        "kernel launch runs to its end."
    )
    example: ClassVar[str] = """\
@kernel
def doubles(X: Tensor[f32, N]):
    for i in range(N):
        yield X[i] * 2
"""
    rewrite: ClassVar[str] = """\
@kernel
def doubles(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = X[i] * 2
"""
    word: str


@dataclass(frozen=True)
class OuterNames(Problem):
    code: ClassVar[str] = "TL124"
    title: ClassVar[str] = "Changing variables of the outside"
    message: ClassVar[str] = "`{word} {names}` inside a kernel"
    help: ClassVar[str] = "make it a parameter; a result goes into an array"
    why: ClassVar[str] = (
        "A kernel changes the arrays that it is given and nothing else. Variables of the file are constants "
        "to it."
    )
    example: ClassVar[str] = """\
count = 0

@kernel
def positives(X: Tensor[f32, N]) -> None:
    global count
    for i in range(N):
        if X[i] > 0:
            count += 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def positives(X: Tensor[f32, N], count: Tensor[i32, 1]) -> None:
    for i in range(N):
        if X[i] > 0:
            count[0] += 1
"""
    word: str
    names: str


@dataclass(frozen=True)
class MatchInside(Problem):
    code: ClassVar[str] = "TL125"
    title: ClassVar[str] = "`match`"
    message: ClassVar[str] = "`match` inside a kernel"
    help: ClassVar[str] = "write it as `if` and `elif`"
    why: ClassVar[str] = (
        "Patterns ask for the classes and the parts of objects. The values of a kernel are numbers, for "
        "which `if` and `elif` say the same."
    )
    example: ClassVar[str] = """\
@kernel
def pick(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        match S[i]:
            case 0:
                Y[i] = 1
            case _:
                Y[i] = 2
"""
    rewrite: ClassVar[str] = """\
@kernel
def pick(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        if S[i] == 0:
            Y[i] = 1
        else:
            Y[i] = 2
"""


@dataclass(frozen=True)
class Deletes(Problem):
    code: ClassVar[str] = "TL126"
    title: ClassVar[str] = "`del`"
    message: ClassVar[str] = "`del` inside a kernel"
    help: ClassVar[str] = "remove the line"
    why: ClassVar[str] = (
        "Values of a kernel live in registers and end with their last use; array elements cannot be deleted."
    )
    example: ClassVar[str] = """\
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        x = X[i]
        Y[i] = x * 2
        del x
"""
    rewrite: ClassVar[str] = """\
@kernel
def double(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        x = X[i]
        Y[i] = x * 2
"""


@dataclass(frozen=True)
class OtherTarget(Problem):
    code: ClassVar[str] = "TL127"
    title: ClassVar[str] = "Something a kernel cannot assign to"
    message: ClassVar[str] = "{what} cannot be {verb}"
    help: ClassVar[str] = "{instead}"
    why: ClassVar[str] = (
        "A kernel assigns to variables and to elements of arrays, loops over variables, and annotates "
        "variables. Attributes of objects do not exist on the GPU."
    )
    example: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, N], state) -> None:
    for i in range(N):
        state.sum += X[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, N], S: Tensor[f32, 1]) -> None:
    for i in range(N):
        S[0] += X[i]
"""
    what: str
    verb: str
    instead: str


@dataclass(frozen=True)
class Starred(Problem):
    code: ClassVar[str] = "TL128"
    title: ClassVar[str] = "Unpacking with a star"
    message: ClassVar[str] = "`{what}` unpacks a number of values that is not written here"
    help: ClassVar[str] = "write the values one by one"
    why: ClassVar[str] = (
        "How many values a star stands for is known only when the program runs; how many arguments, indices "
        "and variables a kernel has must be known before."
    )
    example: ClassVar[str] = """\
def line(x, a, b):
    return a * x + b

@kernel
def lines(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    weights = (2, 3)
    for i in range(N):
        Y[i] = line(X[i], *weights)
"""
    rewrite: ClassVar[str] = """\
def line(x, a, b):
    return a * x + b

@kernel
def lines(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = line(X[i], 2, 3)
"""
    what: str


# --- expressions (TL13x) ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Walrus(Problem):
    code: ClassVar[str] = "TL130"
    title: ClassVar[str] = "Assignment inside an expression"
    message: ClassVar[str] = "`:=` inside a kernel"
    help: ClassVar[str] = "assign in a line of its own, before the expression"
    why: ClassVar[str] = (
        "The expressions of a kernel have no effects, so that they can be moved, repeated and computed side "
        "by side."
    )
    example: ClassVar[str] = """\
@kernel
def relu(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        if (x := X[i]) > 0:
            Y[i] = x
"""
    rewrite: ClassVar[str] = """\
@kernel
def relu(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        x = X[i]
        if x > 0:
            Y[i] = x
"""


@dataclass(frozen=True)
class BuiltContainer(Problem):
    code: ClassVar[str] = "TL131"
    title: ClassVar[str] = "A container built from a loop"
    message: ClassVar[str] = "{what} as data inside a kernel"
    help: ClassVar[str] = "allocate an array (`np.empty`, `np.zeros`) and fill it in a loop"
    why: ClassVar[str] = (
        "A kernel's data are arrays of known type and shape. A comprehension makes a new list of Python "
        "objects."
    )
    example: ClassVar[str] = """\
@kernel
def norms(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    squares = [X[i] * X[i] for i in range(N)]
    for i in range(N):
        Y[i] = squares[i]
"""
    rewrite: ClassVar[str] = """\
@kernel
def norms(X: Tensor[f32, N], Y: Tensor[f32, N]) -> None:
    squares = np.empty(N, np.float32)
    for i in range(N):
        squares[i] = X[i] * X[i]
    for i in range(N):
        Y[i] = squares[i]
"""
    what: str


@dataclass(frozen=True)
class HashedContainer(Problem):
    code: ClassVar[str] = "TL132"
    title: ClassVar[str] = "Sets and dictionaries"
    message: ClassVar[str] = "{what} inside a kernel"
    help: ClassVar[str] = "use arrays; a small table of choices is an `if` and `elif`"
    why: ClassVar[str] = (
        "Sets and dictionaries hash Python objects in memory that grows; a GPU kernel has neither."
    )
    example: ClassVar[str] = """\
@kernel
def weigh(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    weight = {0: 0.5, 1: 2.0}
    for i in range(N):
        Y[i] = weight[S[i]]
"""
    rewrite: ClassVar[str] = """\
@kernel
def weigh(S: Tensor[i32, N], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = 0.5 if S[i] == 0 else 2.0
"""
    what: str


@dataclass(frozen=True)
class GeneratorPlace(Problem):
    code: ClassVar[str] = "TL133"
    title: ClassVar[str] = "A generator that is not summed up in place"
    message: ClassVar[str] = "{what}"
    help: ClassVar[str] = "give sum, min, max, any or all a generator with one `for`, or write the loop"
    why: ClassVar[str] = (
        "`sum(x * y for …)` is a loop with an accumulator and is read as one. A generator anywhere else is "
        "an object that hands out values later, and several `for` in one are clearer as loops."
    )
    example: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, M, N], Y: Tensor[f32, 1]) -> None:
    Y[0] = sum(X[i, j] for i in range(M) for j in range(N))
"""
    rewrite: ClassVar[str] = """\
@kernel
def total(X: Tensor[f32, M, N], Y: Tensor[f32, 1]) -> None:
    s = f32(0)
    for i in range(M):
        for j in range(N):
            s += X[i, j]
    Y[0] = s
"""
    what: str


@dataclass(frozen=True)
class FormattedText(Problem):
    code: ClassVar[str] = "TL134"
    title: ClassVar[str] = "Formatted text"
    message: ClassVar[str] = "formatted text inside a kernel"
    help: ClassVar[str] = "write plain text, or format outside of the kernel"
    why: ClassVar[str] = (
        "Text is made from values at run time and on the CPU. Only the message of an `assert` may be an "
        "f-string: it is kept as it is written."
    )
    example: ClassVar[str] = """\
def double(M, block_m):
    X = tl.InputTensor(f"X{1}", [M], "float32")
    Y = tl.OutputTensor(f"Y{1}", [M], "float32")
    i = tl.TileLoop([M], [block_m])
    Y[i].store(X[i].load() * 2)
    return tl.CompileKernel(double)
"""
    rewrite: ClassVar[str] = """\
def double(M, block_m):
    X = tl.InputTensor("X1", [M], "float32")
    Y = tl.OutputTensor("Y1", [M], "float32")
    i = tl.TileLoop([M], [block_m])
    Y[i].store(X[i].load() * 2)
    return tl.CompileKernel(double)
"""


@dataclass(frozen=True)
class Identity(Problem):
    code: ClassVar[str] = "TL135"
    title: ClassVar[str] = "`is`"
    message: ClassVar[str] = "`{word}` asks for the same object, and values of a kernel are none"
    help: ClassVar[str] = "compare numbers with `==` or `!=`"
    why: ClassVar[str] = (
        "Numbers in registers have a value and no identity, and every argument of a kernel is there: none "
        "is `None`."
    )
    example: ClassVar[str] = """\
@kernel
def zeros(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] is 0:
            Y[i] = 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def zeros(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] == 0:
            Y[i] = 1
"""
    word: str


@dataclass(frozen=True)
class Membership(Problem):
    code: ClassVar[str] = "TL136"
    title: ClassVar[str] = "`in`"
    message: ClassVar[str] = "`{word}` as a test inside a kernel"
    help: ClassVar[str] = "compare with each value, or search in a loop"
    why: ClassVar[str] = (
        "Searching a container is a loop with an early end; written out, it is seen what it costs."
    )
    example: ClassVar[str] = """\
@kernel
def marked(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] in (2, 3):
            Y[i] = 1
"""
    rewrite: ClassVar[str] = """\
@kernel
def marked(X: Tensor[i32, N], Y: Tensor[i32, N]) -> None:
    for i in range(N):
        if X[i] == 2 or X[i] == 3:
            Y[i] = 1
"""
    word: str


@dataclass(frozen=True)
class OtherLiteral(Problem):
    code: ClassVar[str] = "TL137"
    title: ClassVar[str] = "Complex numbers and bytes"
    message: ClassVar[str] = "{what} inside a kernel"
    help: ClassVar[str] = "{instead}"
    why: ClassVar[str] = (
        "A kernel computes with integers, floats and bools; there is no dtype for other literals."
    )
    example: ClassVar[str] = """\
@kernel
def spiral(C: Tensor[f32, N, 2], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        z = C[i, 0] + 1j * C[i, 1]
        Y[i] = abs(z)
"""
    rewrite: ClassVar[str] = """\
@kernel
def spiral(C: Tensor[f32, N, 2], Y: Tensor[f32, N]) -> None:
    for i in range(N):
        Y[i] = math.sqrt(C[i, 0] * C[i, 0] + C[i, 1] * C[i, 1])
"""
    what: str
    instead: str
