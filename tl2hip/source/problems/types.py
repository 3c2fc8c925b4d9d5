"""Names, dtypes, shapes and expressions (TL3xx)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tl2hip.source.problems.base import Problem

# --- names (TL30x) ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UndefinedName(Problem):
    code: ClassVar[str] = "TL301"
    title: ClassVar[str] = "Undefined name"
    message: ClassVar[str] = "`{name}` is not defined"
    help: ClassVar[str] = "assign it before this line, make it a parameter, or bind it at file level to a number"
    name: str


@dataclass(frozen=True)
class MaybeUndefined(Problem):
    code: ClassVar[str] = "TL302"
    title: ClassVar[str] = "Name that may have no value"
    message: ClassVar[str] = "`{name}` may have no value here: {reason}"
    help: ClassVar[str] = "give `{name}` a value before {before}"
    name: str
    reason: str
    before: str


@dataclass(frozen=True)
class NotANumber(Problem):
    code: ClassVar[str] = "TL303"
    title: ClassVar[str] = "File-level name that is not a constant"
    message: ClassVar[str] = "the value of `{name}` is not known without running the file"
    help: ClassVar[str] = "bind it to a number, or to arithmetic on numbers, or make it a parameter"
    name: str


@dataclass(frozen=True)
class TypeChanges(Problem):
    code: ClassVar[str] = "TL304"
    title: ClassVar[str] = "Name of two types"
    message: ClassVar[str] = "`{name}` is {one} on one way here and {other} on another"
    help: ClassVar[str] = "cast, so that both are of one type, or use two names"
    name: str
    one: str
    other: str


@dataclass(frozen=True)
class UnknownSetting(Problem):
    code: ClassVar[str] = "TL305"
    title: ClassVar[str] = "Nothing of that name to set"
    message: ClassVar[str] = "`{function}` has no dim and no keyword-only parameter `{name}` to set"
    help: ClassVar[str] = "it has: {known}"
    function: str
    name: str
    known: str


@dataclass(frozen=True)
class BadSetting(Problem):
    code: ClassVar[str] = "TL306"
    title: ClassVar[str] = "Value that a dim cannot take"
    message: ClassVar[str] = "`{name}` cannot be {value}: {reason}"
    help: ClassVar[str] = "set it to a size from 0 up"
    name: str
    value: int
    reason: str


# --- parameters and hints (TL31x) ------------------------------------------------------------------------


@dataclass(frozen=True)
class NoHint(Problem):
    code: ClassVar[str] = "TL310"
    title: ClassVar[str] = "Parameter without a type"
    message: ClassVar[str] = "parameter `{name}` has no type"
    help: ClassVar[str] = "write `{name}: Tensor[f32, M, N]`, `{name}: f32` or `{name}: int`"
    name: str


@dataclass(frozen=True)
class HintNotUnderstood(Problem):
    code: ClassVar[str] = "TL311"
    title: ClassVar[str] = "Type of a parameter that says too little"
    message: ClassVar[str] = "the type of parameter `{name}` gives no dtype and extents"
    help: ClassVar[str] = "write `{name}: Tensor[f32, M, N]`, `{name}: f32`, `{name}: int` or `{name}: bool`"
    name: str


@dataclass(frozen=True)
class UnknownDType(Problem):
    code: ClassVar[str] = "TL312"
    title: ClassVar[str] = "Unknown dtype"
    message: ClassVar[str] = "not a dtype that tl2hip carries"
    help: ClassVar[str] = "one of f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 u8 u32 bool, or NumPy's name of one"


@dataclass(frozen=True)
class BadExtent(Problem):
    code: ClassVar[str] = "TL313"
    title: ClassVar[str] = "Extent that is not an integer of sizes"
    message: ClassVar[str] = "an extent must be an integer made of dims, constants and `int` parameters"
    help: ClassVar[str] = 'bind dims at file level, `M, N = dims("M N")`, or write `:` to take it from the array'


@dataclass(frozen=True)
class LocalHint(Problem):
    code: ClassVar[str] = "TL314"
    title: ClassVar[str] = "Annotation of a local that does not hold"
    message: ClassVar[str] = "annotating `{name}` does not cast it: its value is {dtype}"
    help: ClassVar[str] = "cast the value, as in `{name} = f32(…)`, and leave the annotation out"
    name: str
    dtype: str


@dataclass(frozen=True)
class ConstantWithoutValue(Problem):
    code: ClassVar[str] = "TL315"
    title: ClassVar[str] = "Compile-time constant without a value"
    message: ClassVar[str] = "`{name}` stands in a mark, so it must be known when the kernel is printed"
    help: ClassVar[str] = "give it a default, or a value with --set {name}=…"
    name: str


# --- types of expressions (TL32x) ------------------------------------------------------------------------


@dataclass(frozen=True)
class NoCommonType(Problem):
    code: ClassVar[str] = "TL320"
    title: ClassVar[str] = "Two dtypes with no common one"
    message: ClassVar[str] = "{left} {op} {right} has no common dtype"
    help: ClassVar[str] = "cast one of them first, as in `f32(x)`"
    op: str
    left: str
    right: str


@dataclass(frozen=True)
class LiteralOutOfRange(Problem):
    code: ClassVar[str] = "TL321"
    title: ClassVar[str] = "Number that its dtype cannot hold"
    message: ClassVar[str] = "{value} does not fit into {dtype}"
    help: ClassVar[str] = "use a wider dtype, or cast to wrap on purpose: `{dtype}(i64({value}))`"
    value: int
    dtype: str


@dataclass(frozen=True)
class NotDefinedFor(Problem):
    code: ClassVar[str] = "TL322"
    title: ClassVar[str] = "Operation that a dtype does not have"
    message: ClassVar[str] = "`{op}` is not defined for {dtype}"
    help: ClassVar[str] = "{way}"
    op: str
    dtype: str
    way: str = "cast the value first"


@dataclass(frozen=True)
class TwoTypes(Problem):
    code: ClassVar[str] = "TL323"
    title: ClassVar[str] = "A choice between two dtypes"
    message: ClassVar[str] = "{what} chooses between {left} and {right}: its dtype would depend on the data"
    help: ClassVar[str] = "cast, so that both are of one dtype"
    what: str
    left: str
    right: str


@dataclass(frozen=True)
class NotBoolean(Problem):
    code: ClassVar[str] = "TL324"
    title: ClassVar[str] = "`and` or `or` of numbers as a value"
    message: ClassVar[str] = "`{op}` returns one of its operands in Python, and these are not all bools"
    help: ClassVar[str] = "compare the operands, or write `a if test else b`"
    op: str


@dataclass(frozen=True)
class PowerSign(Problem):
    code: ClassVar[str] = "TL325"
    title: ClassVar[str] = "Integer power whose type depends on its sign"
    message: ClassVar[str] = "an integer to an integer power is a float where the exponent is below zero"
    help: ClassVar[str] = "cast the base, as in `f32(x) ** n`, or use a constant exponent from 0 up"


@dataclass(frozen=True)
class ArrayAsTest(Problem):
    code: ClassVar[str] = "TL326"
    title: ClassVar[str] = "An array where one value is needed"
    message: ClassVar[str] = "{what} needs one value, and this is an array"
    help: ClassVar[str] = "index it, or reduce it with `.sum()`, `.max()`, `np.any` or `np.all`"
    what: str


@dataclass(frozen=True)
class NeedsArray(Problem):
    code: ClassVar[str] = "TL327"
    title: ClassVar[str] = "One value where an array is needed"
    message: ClassVar[str] = "{what} needs an array, and this is one value"
    help: ClassVar[str] = "take the index off, or drop the call"
    what: str


# --- indices and shapes (TL33x) --------------------------------------------------------------------------


@dataclass(frozen=True)
class WrongRank(Problem):
    code: ClassVar[str] = "TL330"
    title: ClassVar[str] = "Wrong number of indices"
    message: ClassVar[str] = "{given} indices for an array of {rank}"
    help: ClassVar[str] = "index it with at most {rank}"
    rank: int
    given: int


@dataclass(frozen=True)
class IndexNotInteger(Problem):
    code: ClassVar[str] = "TL331"
    title: ClassVar[str] = "Index that is not an integer"
    message: ClassVar[str] = "an index must be an integer, and this is {dtype}"
    help: ClassVar[str] = "write `int(…)`, or `//` in place of `/`"
    dtype: str


@dataclass(frozen=True)
class ShapesDiffer(Problem):
    code: ClassVar[str] = "TL332"
    title: ClassVar[str] = "Shapes that need not match"
    message: ClassVar[str] = "shapes ({left}) and ({right}) need not match"
    help: ClassVar[str] = "use one dim for both extents, or state it: `assert A.shape[0] == B.shape[0]`"
    left: str
    right: str


@dataclass(frozen=True)
class WrongAxis(Problem):
    code: ClassVar[str] = "TL333"
    title: ClassVar[str] = "Axis that the array does not have"
    message: ClassVar[str] = "axis {axis} of an array of {rank} axes"
    help: ClassVar[str] = "count axes from 0, or from -1 backwards"
    axis: int
    rank: int


@dataclass(frozen=True)
class ElementNeedsOneValue(Problem):
    code: ClassVar[str] = "TL334"
    title: ClassVar[str] = "An array stored into one element"
    message: ClassVar[str] = "an array cannot be stored into one element"
    help: ClassVar[str] = "index the array, or store into a slice such as `Y[i, :]`"


# --- expressions, calls and statements (TL34x) -----------------------------------------------------------


@dataclass(frozen=True)
class NotSupported(Problem):
    code: ClassVar[str] = "TL340"
    title: ClassVar[str] = "A form that does not convert"
    message: ClassVar[str] = "{what} does not convert"
    help: ClassVar[str] = "{way}"
    what: str
    way: str


@dataclass(frozen=True)
class UnknownFunction(Problem):
    code: ClassVar[str] = "TL341"
    title: ClassVar[str] = "Call that does not convert"
    message: ClassVar[str] = "no conversion for a call of `{name}`"
    help: ClassVar[str] = "{way}"
    name: str
    way: str = "write it out in loops over elements"


@dataclass(frozen=True)
class WrongArguments(Problem):
    code: ClassVar[str] = "TL342"
    title: ClassVar[str] = "Arguments that do not convert"
    message: ClassVar[str] = "`{name}` {reason}"
    help: ClassVar[str] = "{way}"
    name: str
    reason: str
    way: str = "see its documentation for what it takes"


@dataclass(frozen=True)
class UnknownAttribute(Problem):
    code: ClassVar[str] = "TL343"
    title: ClassVar[str] = "Attribute that does not convert"
    message: ClassVar[str] = "no conversion for `.{name}` here"
    help: ClassVar[str] = "arrays have .shape .size .ndim .dtype .T and the methods sum mean max min prod"
    name: str


@dataclass(frozen=True)
class NotARange(Problem):
    code: ClassVar[str] = "TL344"
    title: ClassVar[str] = "Loop over something that is not a range"
    message: ClassVar[str] = "a loop must run over `range(…)`"
    help: ClassVar[str] = "{way}"
    way: str = "write `for i in range(n):` and index inside"


@dataclass(frozen=True)
class BadStep(Problem):
    code: ClassVar[str] = "TL345"
    title: ClassVar[str] = "Step of a range that is not a constant"
    message: ClassVar[str] = "the step of a range must be a constant other than 0"
    help: ClassVar[str] = "count from 0 with step 1 and multiply: `for t in range(n): i = start + t * step`"


@dataclass(frozen=True)
class LeavesLoop(Problem):
    code: ClassVar[str] = "TL346"
    title: ClassVar[str] = "A loop left early"
    message: ClassVar[str] = "`{word}` would end this loop at a step that depends on the data"
    help: ClassVar[str] = "{way}"
    word: str
    way: str = "keep a flag and guard the rest of the body with it, or write the loop as `while` with that test"


@dataclass(frozen=True)
class BadReturn(Problem):
    code: ClassVar[str] = "TL347"
    title: ClassVar[str] = "Return that does not convert"
    message: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{way}"
    reason: str
    way: str


@dataclass(frozen=True)
class AssertNotSizes(Problem):
    code: ClassVar[str] = "TL348"
    title: ClassVar[str] = "Assertion over data"
    message: ClassVar[str] = "an assertion can speak of sizes and scalar parameters, and stands outside all loops"
    help: ClassVar[str] = "check the data in Python before the call, or state `assert distinct(index)`"


@dataclass(frozen=True)
class NeverTrue(Problem):
    code: ClassVar[str] = "TL349"
    title: ClassVar[str] = "Assertion that cannot hold"
    message: ClassVar[str] = "this assertion is false for every call"
    help: ClassVar[str] = "change the assertion, or the values that were set"


# --- warnings (TL36x) ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NarrowAccumulator(Problem):
    code: ClassVar[str] = "TL360"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "A sum that is carried in a half"
    message: ClassVar[str] = "`{name}` starts as a Python number, so NumPy carries it in {dtype}"
    help: ClassVar[str] = "write f32(0)"
    name: str
    dtype: str


@dataclass(frozen=True)
class HeldInF32(Problem):
    code: ClassVar[str] = "TL361"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "math function computed in f32"
    message: ClassVar[str] = "{name} of {dtype} is computed and held in f32; Python holds it in f64"
    help: ClassVar[str] = "@kernel(math=f64) computes it in f64; np.{name} says f32 in Python too"
    name: str
    dtype: str
