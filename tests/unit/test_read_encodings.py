"""A file that is not UTF-8 is refused with an encoding that fits; which one it is read in is told, never found."""

import gzip

import pytest

import sequester as sq
from sequester.read.encodings import proposed
from sequester.read.table import first_bad_byte

JAPANESE = (
    "患者,日時,所見\n一,2024-03-04,胸部レントゲン写真に異常を認めない。\n"
    "二,2024-03-05,右肺に陰影あり。経過観察とする。\n"
)
KOREAN = "환자,날짜,소견\n하나,2024-03-04,흉부 사진에 이상 소견이 없습니다.\n"
CHINESE = "患者,日期,所见\n一,2024-03-04,胸部未见明显异常，建议定期复查。\n"
TAIWANESE = "患者,日期,所見\n一,2024-03-04,胸部未見明顯異常，建議定期複查。\n"
FRENCH = "patient,date,constat\nun,2024-03-04,Fièvre élevée à l'arrivée et déjà opéré\n"
GERMAN = "Patient,Datum,Befund\neins,2024-03-04,Übelkeit und Schmerzen rückläufig – größer als früher\n"
TEXTS = [
    ("shift_jis", JAPANESE), ("euc_jp", JAPANESE), ("cp932", JAPANESE + "三,①Ⅱ,㈱テスト病院のかた\n"),
    ("utf-16", JAPANESE), ("utf-16", FRENCH), ("euc_kr", KOREAN), ("gb2312", CHINESE), ("big5", TAIWANESE),
    ("latin-1", FRENCH), ("cp1252", GERMAN),
]  # fmt: skip


@pytest.mark.parametrize(("encoding", "text"), TEXTS, ids=[f"{e}-{i}" for i, (e, _) in enumerate(TEXTS)])
@pytest.mark.parametrize("many", [1, 400])
@pytest.mark.parametrize("packed", [False, True])
def test_the_encoding_that_fits_is_proposed_and_reads_the_file(encoding, text, many, packed, tmp_path):
    head, rest = text.split("\n", 1)
    raw = (head + "\n" + rest * many).encode(encoding)
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(raw) if packed else raw)
    with pytest.raises(sq.InputError) as caught:
        sq.read_corpus(path, text=head.split(",")[2])
    assert str(caught.value) == (
        f"read_corpus: '{path.name}' is not UTF-8 at byte {first_bad_byte(path)}. Pass encoding= with the encoding it "
        f"was written in, for example encoding='{encoding}'."
    )
    if "," not in rest.split(",", 2)[2]:
        read = sq.read_corpus(path, text=head.split(",")[2], person=head.split(",")[0], encoding=encoding)
        assert read.texts[0] == rest.split("\n")[0].split(",", 2)[2]


def test_a_place_far_into_the_file_is_looked_at(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"person,text\n" + b"a,plain words\n" * 200_000 + JAPANESE.encode("euc_jp"))
    assert proposed(path, first_bad_byte(path)) == "euc_jp"


def test_one_damaged_cell_makes_no_file_of_another_encoding(tmp_path):
    """Read as latin-1 everybody's words would be spoilt."""
    path = tmp_path / "t.csv"
    raw = b"person,text\n" + "".join(f"p{i},Fièvre élevée\n" for i in range(50)).encode()
    path.write_bytes(raw + b"q,\xff\n")
    with pytest.raises(sq.InputError) as caught:
        sq.read_corpus(path)
    assert str(caught.value) == (
        f"read_corpus: 't.csv' is not UTF-8 at byte {len(raw) + 2}, though it is elsewhere. Correct that place."
    )
