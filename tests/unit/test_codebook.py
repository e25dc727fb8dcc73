"""The file of public states: read as told, and a wrong file refused before any work."""

import pytest

import sequester as sq
from sequester.methods.events.shared.codebook import MOST_BYTES, MOST_STATES, read_codebook


def test_names_are_read_in_order_once_and_without_a_byte_order_mark(tmp_path):
    file = tmp_path / "states.txt"
    file.write_bytes(b"\xef\xbb\xbftriage\r\n\r\n ward \r\ntriage\r\n")
    assert read_codebook(str(file), "markov-dp") == ("triage", "ward")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "\n".join(f"row {i}" for i in range(MOST_STATES + 1)).encode(),
            "names more than 1000 states. Check that it is the right file, or fold states into fewer.",
        ),
        (
            b"\xff" * (MOST_BYTES + 1),
            "names more than 1000 states. Check that it is the right file, or fold states into fewer.",
        ),
        (b"caf\xe9\n", "is not UTF-8 text. Write one state per line, or check the path."),
        (b"\n \n", "names no state. Write one per line."),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence(tmp_path, content, message):
    file = tmp_path / "states.txt"
    file.write_bytes(content)
    with pytest.raises(sq.InputError) as caught:
        read_codebook(str(file), "markov-dp")
    assert str(caught.value) == f"markov-dp: codebook file 'states.txt' {message}"
