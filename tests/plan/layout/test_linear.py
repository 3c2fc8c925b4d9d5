"""Distributed layouts against brute force over every holder."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tl2hip.plan.layout.convert import convert, drop, dropped_slot, reduced
from tl2hip.plan.layout.linear import LANES, Holder, Layout, Part, Vector, deal, extend, tile
from tl2hip.plan.layout.terms import Term, terms, vector

C32 = deal("i j", ("slot", "i", 4), ("lane", "j", 32), ("lane", "i", 2), ("slot", "i", 4))


def everywhere(layout: Layout) -> dict[Vector, list[Holder]]:
    """Who holds each coordinate, by trying every holder."""
    found = defaultdict(list)
    for slot in range(layout.slot_count):
        for lane in range(LANES):
            for wave in range(layout.wave_count):
                found[layout.at(slot, lane, wave)].append(Holder(slot, lane, wave))
    return dict(found)


@st.composite
def layouts(draw: st.DrawFn, i: int = 0, j: int = 0, waves: int = 0, mixed: bool = True) -> Layout:
    """A random layout of an atom of 2**i x 2**j, up to 3 bits a side where not told.

    Each bit of a coordinate goes to some bit of the holder; the rest are copies, or where `mixed` any vectors,
    and then some of the first ones get another one's vector on top, which keeps the map onto.
    """
    bits = i or draw(st.integers(0, 3)), j or draw(st.integers(0, 3))
    slots = draw(st.integers(0, 2))
    vectors = [(1 << b, 0) for b in range(bits[0])] + [(0, 1 << b) for b in range(bits[1])]
    coordinates = len(vectors)
    for _ in range(slots + 6 + waves - coordinates):
        any_ = draw(st.integers(0, (1 << bits[0]) - 1)), draw(st.integers(0, (1 << bits[1]) - 1))
        vectors.append(any_ if mixed and draw(st.booleans()) else (0, 0))
    for _ in range(draw(st.integers(0, 2)) if mixed and coordinates > 1 else 0):
        to, by = draw(st.permutations(range(coordinates)))[:2]
        vectors[to] = (vectors[to][0] ^ vectors[by][0], vectors[to][1] ^ vectors[by][1])
    placed = tuple(vectors[place] for place in draw(st.permutations(range(len(vectors)))))
    axes = (("i", bits[0]), ("j", bits[1]))
    return Layout(axes, placed[:slots], placed[slots : slots + 6], placed[slots + 6 :])


def shuffled(draw: st.DataObject, layout: Layout, how: str) -> Layout:
    """The layout with its slots' vectors in another order, and its lanes', or its lanes' and waves' together."""
    slots = tuple(draw.draw(st.permutations(layout.slots)))
    moving = layout.lanes if how == "lanes" else layout.lanes + layout.waves if how == "waves" else ()
    others = tuple(draw.draw(st.permutations(moving))) + (layout.lanes + layout.waves)[len(moving) :]
    return replace(layout, slots=slots, lanes=others[:6], waves=others[6:])


@settings(max_examples=40)
@given(layouts(waves=1), st.sampled_from([(), (("i", 3),), (("i", 2), ("j", 3))]))
def test_holders_and_representatives(atom: Layout, repeat: tuple[tuple[str, int], ...]) -> None:
    layout = tile(atom, *repeat)
    found = everywhere(layout)
    assert sorted(found) == list(layout.coordinates())
    for at, holders in found.items():
        assert layout.holders(at) == tuple(sorted(holders))
        assert sum(layout.representative(*holder) for holder in holders) == 1


@pytest.mark.parametrize(("times", "extent"), [(3, 192), (6, 384)])
def test_a_tile_of_three_atoms(times: int, extent: int) -> None:
    atom = deal("i k", ("slot", "k", 8), ("lane", "i", 16), ("lane", "k", 4), ("wave", "i", 4))
    layout = tile(atom, ("i", times), ("k", 3))
    assert (layout.extent("i"), layout.extent("k"), layout.slot_count) == (extent, 96, 24 * times)
    assert layout.at(slot=8 * 4 + 5, lane=17, wave=2) == (1 + 32 + 64, 5 + 8 + 32)
    assert all(len(holders) == 1 for holders in everywhere(layout).values())
    assert all(layout.join(*layout.split(slot)) == slot for slot in range(layout.slot_count))


def test_copies_store_once() -> None:
    left = extend(deal("i", ("lane", "i", 32), ("lane", "", 2)), ("wave", "i", 2), ("wave", "j", 2))
    assert left.copies == Holder(slot=0, lane=32, wave=2)
    assert left.holders((33,)) == tuple(Holder(0, 1 + 32 * a, 1 + 2 * b) for a in (0, 1) for b in (0, 1))
    stores = [h for h in left.holders((33,)) if left.representative(*h)]
    assert stores == [Holder(0, 1, 1)]


def test_a_dependent_bit_is_a_copy() -> None:
    layout = Layout((("i", 6),), ((3,),), tuple((1 << b,) for b in range(6)))
    assert layout.copies == Holder(slot=0, lane=2, wave=0)
    assert all(sum(layout.representative(*h) for h in hs) == 1 < len(hs) for hs in everywhere(layout).values())


def test_extend_serves_both_operands_and_the_result() -> None:
    parts: tuple[Part, ...] = (("slot", "i", 2), ("wave", "i", 2), ("slot", "j", 2), ("wave", "j", 4))
    result = extend(C32, *parts)
    left = extend(deal("i k", ("slot", "k", 4), ("lane", "i", 32), ("lane", "k", 2)), *parts)
    assert (result.extent("i"), result.extent("j"), result.slot_count) == (128, 256, 64)
    assert (left.extent("i"), left.slot_count, left.wave_count) == (128, 8, 8)
    for wave in range(8):
        rows = {result.at(slot, lane, wave)[0] for slot in range(64) for lane in range(LANES)}
        assert rows == {left.at(slot, lane, wave)[0] for slot in range(8) for lane in range(LANES)}
        assert rows == set(range(wave % 2 * 64, wave % 2 * 64 + 64))


def test_dropping_an_axis() -> None:
    statistic = drop(extend(C32, ("slot", "j", 2), ("wave", "j", 2)), "j")
    assert (statistic.axes, statistic.slot_count) == ((("i", 5),), 16)
    assert statistic.copies == Holder(slot=0, lane=31, wave=1)
    assert drop(C32, "i").slot_count == 1 and drop(C32, "i").copies == Holder(0, 32, 0)
    assert drop(tile(C32, ("i", 3), ("j", 5)), "j").repeat == (("i", 3),)


@settings(max_examples=25)
@given(layouts(waves=1), st.sampled_from([(), (("i", 3), ("j", 2))]))
def test_a_statistic_lies_in_the_lanes_of_its_row(atom: Layout, repeat: tuple[tuple[str, int], ...]) -> None:
    layout = tile(atom, *repeat)
    for at, axis in enumerate(layout.names):
        statistic = drop(layout, axis)
        for slot in range(layout.slot_count):
            mine = dropped_slot(layout, axis, slot)
            for lane in range(0, LANES, 7):
                whole = layout.at(slot, lane, 1)
                assert statistic.at(mine, lane, 1) == whole[:at] + whole[at + 1 :]


def test_what_a_reduction_combines() -> None:
    layout = extend(C32, ("slot", "j", 2), ("wave", "j", 2), ("wave", "", 2))
    assert reduced(layout, "j") == Holder(slot=16, lane=31, wave=1)
    assert reduced(layout, "i") == Holder(slot=15, lane=32, wave=0)
    mixed = Layout((("i", 1), ("j", 5)), ((1, 1),), ((0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 0)))
    with pytest.raises(ValueError, match="along i and another axis"):
        reduced(mixed, "i")


@settings(max_examples=60)
@given(layouts(i=2, j=2, waves=1, mixed=False), st.integers(0, 5))
def test_a_reduction_meets_every_element_once(layout: Layout, again: int) -> None:
    """From any holder on, by flipping bits of the masks; a wave holds copies of what a lane's bit leads to."""
    layout = replace(layout, waves=(*layout.waves, layout.lanes[again]))
    masks = reduced(layout, "j")
    for holder in [Holder(0, 0), Holder(layout.slot_count - 1, 63, layout.wave_count - 1)]:
        steps = [
            layout.at(*(here ^ step for here, step in zip(holder, layout.holder(word), strict=True)))
            for word in range(1 << (len(layout.vectors)))
            if word & layout.word(masks) == word
        ]
        assert sorted(steps) == [(layout.at(*holder)[0], j) for j in range(4)]


def brute_reach(source: Layout, target: Layout) -> str:
    """How far the farthest element must come, by looking at every holder."""
    where = everywhere(source)
    far = 0
    for slot in range(target.slot_count):
        for lane in range(LANES):
            for wave in range(target.wave_count):
                near = [h for h in where[target.at(slot, lane, wave)] if h.wave == wave]
                far = max(far, 0 if any(h.lane == lane for h in near) else 1 if near else 2)
    return ("registers", "lanes", "lds")[far]


def check_conversion(source: Layout, target: Layout) -> str:
    made = convert(source, target)
    kind = "registers" if made.kind == "nothing" else made.kind
    assert kind == brute_reach(source, target)
    moved = False
    for slot in range(target.slot_count):
        for lane in range(LANES):
            for wave in range(target.wave_count):
                origin = made.origin(slot, lane, wave)
                assert source.at(*origin) == target.at(slot, lane, wave)
                assert made.kind != "lanes" or origin.wave == wave
                assert kind != "registers" or origin[1:] == (lane, wave)
                moved |= origin != (slot, lane, wave)
    assert (made.kind == "nothing") == (not moved and source.slot_count == target.slot_count)
    return made.kind


@settings(max_examples=80)
@given(st.data())
def test_conversions(data: st.DataObject) -> None:
    source = data.draw(layouts(i=2, j=3, waves=1))
    how = data.draw(st.sampled_from(["same", "slots", "lanes", "waves", "any"]))
    target = source if how == "same" else shuffled(data, source, how)
    if how == "any":
        target = data.draw(layouts(i=2, j=3, waves=1))
    if data.draw(st.booleans()):
        source, target = tile(source, ("j", 3)), tile(target, ("j", 3))
    check_conversion(source, target)


def test_conversions_between_atoms_of_different_size() -> None:
    small = deal("i k", ("slot", "k", 4), ("lane", "i", 16), ("lane", "k", 4))
    large = deal("i k", ("slot", "k", 4), ("lane", "i", 32), ("lane", "k", 2))
    assert check_conversion(tile(small, ("i", 6), ("k", 3)), tile(large, ("k", 6), ("i", 3))) == "lanes"
    assert check_conversion(tile(large, ("i", 3), ("k", 2)), tile(large, ("k", 2), ("i", 3))) == "registers"


def test_kinds_of_conversion() -> None:
    rows = deal("i j", ("slot", "j", 4), ("lane", "j", 2), ("lane", "i", 32), ("wave", "i", 2))
    columns = deal("i j", ("slot", "j", 4), ("lane", "i", 32), ("lane", "j", 2), ("wave", "i", 2))
    other = deal("i j", ("slot", "j", 4), ("lane", "i", 64), ("wave", "j", 2))
    assert check_conversion(rows, rows) == "nothing"
    assert check_conversion(rows, columns) == "lanes"
    assert check_conversion(rows, other) == "lds"
    by_rows, by_columns = (extend(C32, ("wave", a, 2), ("wave", b, 2)) for a, b in ("ij", "ji"))
    assert check_conversion(by_rows, by_columns) == "lds"


def test_an_exchange_reads_one_register_where_copies_allow_it() -> None:
    lanes = tuple((1 << b,) for b in range(6))
    source = Layout((("k", 6),), ((1,),), lanes)
    target = Layout((("k", 6),), ((1,),), (lanes[1], lanes[0], *lanes[2:]))
    assert check_conversion(source, target) == "lanes" and convert(source, target).fixed


def test_an_exchange_is_an_xor_where_it_can_be() -> None:
    plain = deal("i k", ("slot", "k", 2), ("lane", "i", 32), ("lane", "k", 2))
    flipped = Layout(plain.axes, ((0, 3), plain.slots[0]), plain.lanes)
    doubled = Layout(plain.axes, (plain.slots[0], (0, 3)), plain.lanes)
    made = convert(plain, doubled)
    assert made.kind == "lanes" and [made.xor_mask(slot) for slot in range(4)] == [0, 0, 32, 32]
    assert [h.lane for h in made.exchange(2)] == [lane ^ 32 for lane in range(LANES)]
    assert convert(plain, flipped).xor_mask(1) == 32
    swapped = deal("i k", ("lane", "i", 32), ("lane", "k", 2), ("slot", "k", 2))
    assert convert(plain, swapped).xor_mask(0) is None


def test_tiles_that_differ_have_no_conversion() -> None:
    with pytest.raises(ValueError, match="tiles differ: i of 32, j of 32 and i of 96, j of 32"):
        convert(C32, tile(C32, ("i", 3)))
    with pytest.raises(ValueError, match="a block of 1 waves and one of 2"):
        convert(C32, extend(C32, ("wave", "", 2)))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: deal("i", ("lane", "i", 64), ("wave", "i", 3)), "the waves along i: 3 is not a power of two"),
        (lambda: deal("i", ("lane", "i", 32)), "a wave has 64 lanes, not 32"),
        (lambda: deal("i", ("lane", "j", 64)), "no axis j among i"),
        (lambda: Layout((("i", 6), ("i", 0)), (), ((1, 0),) * 6), "an axis twice: i, i"),
        (lambda: Layout((("i", 6),), (), ((1,),) * 6), "not onto"),
        (lambda: Layout((("i", 1),), (), ((2,),) * 6), "no coordinate of {'i': 1}"),
        (lambda: Layout((("i", 1),), (), ((1, 1),) * 6), "no coordinate"),
        (lambda: tile(tile(C32, ("i", 2)), ("j", 2)), "repeats already"),
        (lambda: tile(C32, ("i", 2), ("i", 3)), "repeats along i, i"),
        (lambda: tile(C32, ("i", 0)), "at least once"),
        (lambda: extend(tile(C32, ("i", 3)), ("slot", "i", 2)), "before it repeats"),
        (lambda: extend(C32, ("lane", "i", 2)), "all lanes are dealt out"),
        (lambda: extend(C32, ("wave", "k", 6)), "6 is not a power of two"),
        (lambda: C32.at(16, 0), "no slot 16, lane 0, wave 0"),
        (lambda: C32.at(0, 64), "no slot 0, lane 64"),
        (lambda: C32.holders((0, 32)), "j = 32 is outside the tile of 32"),
    ],
)  # fmt: skip
def test_what_is_refused(make: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make()  # type: ignore[operator]


def test_width_of_vectors() -> None:
    assert vector(C32, "i") == 4 and vector(C32, "j") == 1
    assert vector(deal("i k", ("slot", "k", 8), ("lane", "i", 64), ("slot", "k", 2)), "k") == 16
    assert vector(deal("i k", ("slot", "k", 8), ("slot", "i", 2), ("lane", "i", 64), ("slot", "k", 2)), "k") == 8
    assert vector(deal("i k", ("lane", "k", 2), ("slot", "k", 8), ("lane", "i", 32)), "k") == 1
    swapped = Layout((("k", 7),), ((1,), (2,)), ((3,), *((1 << b,) for b in range(2, 7))))
    assert vector(swapped, "k") == 1


@settings(max_examples=25)
@given(layouts(waves=1), st.sampled_from([(), (("i", 3), ("j", 2))]))
def test_width_of_vectors_by_trying(atom: Layout, repeat: tuple[tuple[str, int], ...]) -> None:
    layout = tile(atom, *repeat)
    for at, axis in enumerate(layout.names):
        width = vector(layout, axis)
        for slot in range(0, layout.slot_count, width):
            for lane in range(LANES):
                for wave in range(layout.wave_count):
                    first = layout.at(slot, lane, wave)
                    assert first[at] % width == 0
                    for e in range(width):
                        expected = tuple(c + e * (a == at) for a, c in enumerate(first))
                        assert layout.at(slot + e, lane, wave) == expected


def test_terms_of_a_coordinate() -> None:
    layout = extend(C32, ("wave", "i", 2), ("wave", "j", 2))
    assert terms(layout, "i") == (
        Term("slot", 0, 4, 1), Term("slot", 2, 4, 8), Term("lane", 5, 2, 4), Term("wave", 0, 2, 32)
    )  # fmt: skip
    assert terms(layout, "j") == (Term("lane", 0, 32, 1), Term("wave", 1, 2, 32))
    with pytest.raises(ValueError, match="no sum"):
        terms(Layout((("i", 6),), ((3,),), tuple((1 << b,) for b in range(6))), "i")


@settings(max_examples=15)
@given(st.permutations([*range(9)]))
def test_terms_add_up(order: list[int]) -> None:
    units = [(1 << b, 0) for b in range(5)] + [(0, 1 << b) for b in range(3)] + [(0, 0)]
    vectors = tuple(units[o] for o in order)
    layout = tile(Layout((("i", 5), ("j", 3)), vectors[:2], vectors[2:8], vectors[8:]), ("i", 3))
    parts = [terms(layout, axis) for axis in layout.names]
    for slot in range(layout.slot_count):
        for lane in range(LANES):
            for wave in range(2):
                holder = {"slot": slot % 4, "lane": lane, "wave": wave}
                sums = [sum(t.of(holder[t.who]) for t in of_axis) for of_axis in parts]
                sums[0] += slot // 4 * 32
                assert tuple(sums) == layout.at(slot, lane, wave)
