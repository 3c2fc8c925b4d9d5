"""How a file speaks of tl2hip: what its names mean, how marks are spelled in it, and the names it has to import."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

HOMES = ("tl2hip", "tilelang")
"""What the names of tl2hip are imported from; the second is read as the first."""


class Imports:
    """What a file imports of tl2hip at its top level, and what it needs besides."""

    def __init__(self, module: cst.Module) -> None:
        self.names: dict[str, str] = {}
        """The name in tl2hip of each imported name."""
        self.modules: list[str] = []
        """Names that tl2hip itself is imported by."""
        self.star = False
        self.needed: dict[str, str] = {}
        """Names to import, and what they are imported as."""
        self.used = _Used()
        module.visit(self.used)
        for one in _imports(module):
            self._take(one)

    def _take(self, one: cst.Import | cst.ImportFrom) -> None:
        if isinstance(one, cst.Import):
            for alias in one.names:
                if dotted(alias.name) in HOMES:
                    self.modules.append(_bound(alias))
        elif isinstance(one.names, cst.ImportStar):
            self.star = True
        else:
            self.names |= {_bound(alias): dotted(alias.name) for alias in one.names}

    def meaning(self, e: cst.BaseExpression) -> str | None:
        """The name in tl2hip of a name or an attribute, None where it is none of tl2hip's."""
        said = dotted(e)
        home, _, name = said.rpartition(".")
        if home in self.modules:
            return name
        return self.names.get(said, said if self.star and not home else None)

    def spelled(self, name: str) -> str:
        """How the file says a name of tl2hip, once it has imported it."""
        for bound, meaning in self.names.items():
            if meaning == name:
                return bound
        if self.star:
            return name
        if self.modules and not self.names:
            return f"{self.modules[0]}.{name}"
        free = name
        while free in self.used.names:
            free += "_mark"
        return self.needed.setdefault(name, free)

    def added(self, module: cst.Module) -> cst.Module:
        """The module with what it needs imported: by its own import of names of tl2hip, or a new one below its
        imports."""
        if not self.needed:
            return module
        new = [_alias(name, bound) for name, bound in sorted(self.needed.items(), key=_order)]
        for one in _imports(module):
            if isinstance(one, cst.ImportFrom) and not isinstance(one.names, cst.ImportStar):
                changed = one.with_changes(names=_merged(tuple(one.names), new))
                replaced = module.deep_replace(one, changed)
                assert isinstance(replaced, cst.Module)
                return replaced
        names = tuple(a.with_changes(comma=cst.MaybeSentinel.DEFAULT) for a in new)
        statement = cst.SimpleStatementLine((cst.ImportFrom(cst.Name("tl2hip"), names),))
        at = _below_imports(module)
        return module.with_changes(body=(*module.body[:at], statement, *module.body[at:]))


class _Used(cst.CSTVisitor):
    """All names that stand in a file."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)


def _imports(module: cst.Module) -> Iterator[cst.Import | cst.ImportFrom]:
    """The imports at a file's top level that speak of tl2hip."""
    for line in module.body:
        for one in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(one, cst.ImportFrom):
                if one.module is not None and not one.relative and dotted(one.module) in HOMES:
                    yield one
            elif isinstance(one, cst.Import) and any(dotted(a.name) in HOMES for a in one.names):
                yield one


def _below_imports(module: cst.Module) -> int:
    """Where a new import goes: behind the last one at the file's top level, else behind its docstring."""
    at = 0
    for n, line in enumerate(module.body):
        if not isinstance(line, cst.SimpleStatementLine):
            continue
        first = line.body[0]
        is_doc = n == 0 and isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString)
        if is_doc or isinstance(first, cst.Import | cst.ImportFrom):
            at = n + 1
    return at


def _merged(old: tuple[cst.ImportAlias, ...], new: list[cst.ImportAlias]) -> tuple[cst.ImportAlias, ...]:
    """Imported names with new ones among them, in the order of names where the old ones have it; set out as the
    old ones are."""
    between = next((c for a in old[:-1] if isinstance(c := a.comma, cst.Comma)), None)
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")) if between is None else _plain(between)
    names = list(old)
    for alias in new:
        at = next((n for n, one in enumerate(names) if _key(one) > _key(alias)), len(names))
        if at < len(names):
            names.insert(at, alias.with_changes(comma=comma))
            continue
        last = names[-1]
        names[-1:] = [
            last.with_changes(comma=_separating(last.comma, comma)),
            alias.with_changes(comma=_closing(last.comma)),
        ]
    return tuple(names)


def _plain(comma: cst.Comma) -> cst.Comma:
    """A comma as set out as another, without the comment behind that."""
    after = comma.whitespace_after
    if isinstance(after, cst.ParenthesizedWhitespace):
        line = after.first_line.with_changes(comment=None, whitespace=cst.SimpleWhitespace(""))
        after = after.with_changes(first_line=line, empty_lines=())
    return comma.with_changes(whitespace_after=after)


def _separating(last: cst.Comma | cst.MaybeSentinel, comma: cst.Comma) -> cst.Comma:
    """The comma of a name that was the last one and is no more: a comment behind it stays, and what follows goes to
    a line of its own."""
    own = last.whitespace_after if isinstance(last, cst.Comma) else None
    between = comma.whitespace_after
    if isinstance(own, cst.ParenthesizedWhitespace):
        if isinstance(between, cst.ParenthesizedWhitespace):
            between = between.with_changes(first_line=own.first_line)
        elif own.first_line.comment is not None:
            indent = cst.SimpleWhitespace("    ")
            between = cst.ParenthesizedWhitespace(own.first_line, indent=True, last_line=indent)
    return comma.with_changes(whitespace_after=between)


def _closing(last: cst.Comma | cst.MaybeSentinel) -> cst.Comma | cst.MaybeSentinel:
    """The comma of the name that is the last one now; comments on lines below the former one stay below."""
    if not isinstance(last, cst.Comma):
        return last
    after, lines = _plain(last).whitespace_after, last.whitespace_after
    if isinstance(after, cst.ParenthesizedWhitespace) and isinstance(lines, cst.ParenthesizedWhitespace):
        after = after.with_changes(empty_lines=lines.empty_lines)
    return last.with_changes(whitespace_after=after)


def _alias(name: str, bound: str) -> cst.ImportAlias:
    as_name = cst.AsName(cst.Name(bound)) if bound != name else None
    return cst.ImportAlias(cst.Name(name), as_name)


def _bound(alias: cst.ImportAlias) -> str:
    """The name that an import binds."""
    return dotted(alias.asname.name) if alias.asname else dotted(alias.name)


def _key(alias: cst.ImportAlias) -> tuple[bool, str]:
    return _order((dotted(alias.name), ""))


def _order(item: tuple[str, str]) -> tuple[bool, str]:
    """Classes before functions, each by name: the order that linters want."""
    return item[0][:1].islower(), item[0]


def dotted(e: cst.CSTNode) -> str:
    """`a.b` of a name or an attribute, empty for anything else."""
    if isinstance(e, cst.Name):
        return e.value
    if isinstance(e, cst.Attribute) and (before := dotted(e.value)):
        return f"{before}.{e.attr.value}"
    return ""
