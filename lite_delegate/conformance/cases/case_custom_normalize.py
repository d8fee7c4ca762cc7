"""Conformance cases of CustomNormalize, expected values written down from the rules, one rule after the other."""

from __future__ import annotations

from collections.abc import Iterator

from lite_delegate_kernels import pack_strings

from ..judging.case import ConformanceCase
from .samples import exact

# name, sentence, what stands between the marks
ROWS: list[tuple[str, bytes, bytes]] = [
    ("short_forms", b"I'm good; you're welcome", b"i am good; you are welcome"),
    ("marks_repeated", b"Hi!!!!", b"hi !"),
    ("empty", b"", b""),
    ("only_blanks", b" \t\r\n\v\f ", b""),
    ("upper_case", b"GOOD Morning", b"good morning"),
    ("blanks_at_the_ends", b"\t good morning \n", b"good morning"),
    ("blanks_inside_stay", b"good \t morning", b"good \t morning"),
    ("signs_dropped", b'(well) *done*. "ok"...', b"well done ok"),
    ("signs_at_the_ends", b"-, 'yes & no' :;", b"yes & no"),
    ("signs_inside_stay", b"a,b;c:d-e&f", b"a,b;c:d-e&f"),
    ("not", b"I don't and can't", b"i do not and ca not"),
    ("not_misspelt", b"i do'nt", b"i do not"),
    ("will", b"we'll see", b"we will see"),
    ("have", b"they've gone", b"they have gone"),
    ("are", b"we're", b"we are"),
    ("not_after_nothing", b"n't go", b"n't go"),
    ("ending_joined_then_written_out", b"n't 'll", b"n't will"),
    ("am_inside_words", b"hi'm", b"hi am"),
    ("s_and_d_stay", b"it's what he'd do", b"it's what he'd do"),
    ("ending_apart_at_the_end", b"we 'll", b"we will"),
    ("ending_apart_before_a_comma", b"do n't, we 've; it 's/", b"do not, we have; it's/"),
    ("ending_apart_before_a_word", b"it 's me", b"it's me"),
    ("ending_apart_before_a_mark_stays", b"it 's!", b"it 's !"),
    ("last_short_form_of_a_run", b"we'll've", b"we will have"),
    ("last_of_equal_short_forms", b"a'll'll b", b"a'll will b"),
    ("question", b"who?", b"who ?"),
    ("question_inside", b"who? me", b"who ?  me"),
    ("marks_mixed", b"what?!", b"what ? !"),
    ("marks_mixed_at_the_start", b"?!", b"? !"),
    ("marks_in_turns", b"?!?!", b"? !? !"),
    ("mark_after_a_dropped_sign", b"ok.?.?", b"ok ?"),
    ("beyond_ascii", "Über GRÖSSE?".encode(), "Über grÖsse ?".encode()),
    ("no_text", b"\xff\x00A", b"\xff\x00a"),
    ("bytes_300", b"x" * 300, b"x" * 300),
    ("bytes_301", b"x" * 301, b"x" * 300),
    ("bytes_301_written_out", b"x" * 296 + b"'re", b"x" * 296 + b" are"),
    ("bytes_302_written_out", b"x" * 298 + b"'re", b"x" * 298 + b" a"),
]


def cases() -> Iterator[ConformanceCase]:
    """Every rule, rules that follow one another, bytes beyond ASCII, the largest length, several strings and none."""
    for name, sentence, middle in ROWS:
        yield _case(name, [sentence], [b"<S> " + middle + b" <E>"])
    yield _case("three_sentences", [b"Yes.", b"", b"No!"], [b"<S> yes <E>", b"<S>  <E>", b"<S> no ! <E>"])
    yield _case("no_sentences", [], [b"\0"])


def _case(name: str, given: list[bytes], expected: list[bytes]) -> ConformanceCase:
    return exact("CustomNormalize", name, [pack_strings(given)], [pack_strings(expected)], source="hand")
