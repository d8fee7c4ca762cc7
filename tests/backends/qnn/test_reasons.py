"""Reasons in ONNX Runtime's verbose log, in the form that the plugin writes them; the lines are made up."""

from __future__ import annotations

from lite_delegate.backends.qnn.reasons import read_reasons

TIME = "2026-01-02 03:04:05.678 [V:onnxruntime:, file.cc:12 Function] "


def block(outcome: str, operator: str, nodes: list[str], reason: str | None) -> str:
    """The lines on one group of nodes."""
    lines = [f"{TIME}Validation {outcome} for {len(nodes)} nodes in OrtNodeUnit ({operator}) :"]
    lines += [f"\tOperator type: {operator} Node name: {name} Node index: {i}" for i, name in enumerate(nodes)]
    return "\n".join(lines if reason is None else [*lines, f"\tREASON : {reason}"]) + "\n"


def test_each_node_of_a_group_has_its_reason() -> None:
    log = (
        f"{TIME}something else\n"
        + block("FAILED", "Thing", ["k0/first", "k0/second name"], "no `Thing` of rank 7.")
        + block("PASSED", "Other", ["k1/y0"], None)
        + block("FAILED", "More", ["k2/y0"], "not today")
    )
    assert read_reasons(log) == {
        "k0/first": "no 'Thing' of rank 7",
        "k0/second name": "no 'Thing' of rank 7",
        "k2/y0": "not today",
    }


def test_the_last_reason_of_a_node_counts() -> None:
    log = block("FAILED", "Thing", ["n"], "first") + block("FAILED", "Thing", ["n"], "second")
    assert read_reasons(log) == {"n": "second"}


def test_a_reason_that_names_its_node_again_does_not() -> None:
    log = block("FAILED", "Thing", ["n"], "Things are not supported.Thing node `n` will not be assigned to QNN EP.")
    assert read_reasons(log) == {"n": "Things are not supported"}


def test_the_validation_of_the_htp_gives_the_reason_that_the_plugin_lacks() -> None:
    told = f"{TIME}backendValidateOpConfig() failed for node `n` of type `Strange` with error code 42\n"
    assert read_reasons(told + block("FAILED", "Thing", ["m", "n"], "Failed to add node.")) == dict.fromkeys(
        "mn", "the HTP's validation rejects Strange with these types and shapes (QNN error 42)"
    )
    assert read_reasons(told + block("FAILED", "Thing", ["n"], "a better one")) == {"n": "a better one"}
    assert read_reasons(block("FAILED", "Thing", ["n"], "Failed to add node.")) == {"n": "Failed to add node"}


def test_what_passed_or_is_cut_off_has_no_reason() -> None:
    assert read_reasons("") == {}
    assert read_reasons(block("PASSED", "Thing", ["n"], "none of a failure")) == {}
    assert read_reasons(block("FAILED", "Thing", ["n"], None)) == {}
    assert read_reasons("\tREASON : of nothing\n\tOperator type: Thing Node name: n Node index: 0\n") == {}
