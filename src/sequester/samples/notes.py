"""Clinical notes: standing phrases many notes share, names and dates of one person, and a few rare findings.

They are English, Spanish or Japanese.
"""

from __future__ import annotations

from string import Formatter
from typing import Any, NamedTuple

import numpy as np

from sequester.errors import ParameterError
from sequester.model import Corpus


class Words(NamedTuple):
    """What a note in one language is made of; braces name what belongs to one person."""

    given: tuple[str, ...]
    family: tuple[str, ...]
    streets: tuple[str, ...]
    name: str
    date: str
    number: str
    address: str
    head: str
    """Name, born, number and admitted are private; complaint is a standing phrase."""
    complaints: tuple[str, ...]
    findings: tuple[str, ...]
    course: tuple[str, ...]
    plan: tuple[str, ...]
    lives: str
    rare: tuple[str, ...]
    seen: str


SPANISH = Words(
    given=("Lucía", "Mateo", "Carmen", "Hugo", "Elena", "Pablo", "Inés", "Andrés", "Marta", "Tomás", "Rocío", "Iván"),
    family=("García Soler", "Ruiz Ibarra", "Vega Montes", "Ortega Pardo", "Navarro Gil", "Campos Rey", "Molina Sanz",
            "Prieto Lara", "Serrano Coll", "Duarte Peña"),
    streets=("Calle del Sol", "Avenida del Puerto", "Calle Mayor", "Plaza de la Fuente"),
    name="{given} {family}", date="{day:02d}/{month:02d}/{year}", number="NHC-{number}", address="{street}, {house}",
    head="Nombre: {name}\nFecha de nacimiento: {born}\nHistoria clínica: {number}\n\n"
         "Paciente que ingresa el {admitted} por {complaint}. ",
    complaints=("dolor torácico de inicio súbito", "fiebre y tos productiva", "dolor abdominal en fosa ilíaca derecha",
                "disnea de esfuerzo"),
    findings=("A la exploración el paciente está consciente y orientado. Auscultación pulmonar normal. ",
              "A la exploración el paciente está consciente y orientado. Crepitantes en ambas bases. ",
              "A la exploración el paciente está consciente y orientado. Tonos cardíacos rítmicos sin soplos. "),
    course=("Se solicita analítica y se administra sueroterapia. ",
            "Se inicia tratamiento antibiótico con buena evolución. ",
            "Permanece en observación sin incidencias. "),
    plan=("Se decide alta a domicilio con control por su médico de cabecera.\n",
          "Revisión en consultas externas en cuatro semanas.\n"),
    lives="Vive en {address}. ",
    rare=("El estudio genético confirma enfermedad de Fabry. ", "Toca el violonchelo en la orquesta municipal. "),
    seen="Atendido por la doctora {doctor}.\n",
)  # fmt: skip
JAPANESE = Words(
    given=("太郎", "花子", "健一", "美咲", "翔", "葵", "大輔", "結衣", "直樹", "陽子"),
    family=("佐藤", "鈴木", "高橋", "田中", "渡辺", "伊藤", "中村", "小林", "加藤", "吉田"),
    streets=("本町", "緑町", "桜台", "港区南"),
    name="{family} {given}", date="{year}年{month}月{day}日", number="{number}", address="{street}{house}-3-1",
    head="患者氏名：{name}\n生年月日：{born}\n患者番号：{number}\n\n{admitted}に{complaint}のため入院した。",
    complaints=("発熱と咳嗽", "突然の胸痛", "労作時の呼吸困難", "右下腹部の疼痛"),
    findings=("意識は清明である。肺野に異常を認めない。", "意識は清明である。両側下肺野に湿性ラ音を聴取する。",
              "意識は清明である。心雑音を認めない。"),
    course=("採血を行い、補液を開始した。", "抗菌薬を開始し、解熱を得た。", "経過観察とし、特に異常を認めなかった。"),
    plan=("全身状態は良好であり、退院とした。\n", "四週間後に外来を再診とする。\n"),
    lives="住所は{address}である。",
    rare=("遺伝子検査によりファブリー病と診断された。", "市民楽団でチェロを演奏している。"),
    seen="担当医：{doctor}\n",
)  # fmt: skip
LANGUAGES = {"es": SPANISH, "ja": JAPANESE}


GIVEN = (
    "Ada", "Amir", "Ana", "Boris", "Chiara", "Dario", "Elif", "Emeka", "Fatou", "Greta", "Hana",
    "Ivo", "Jonas", "Kaito", "Lena", "Mara", "Nils", "Olga", "Pavel", "Rosa", "Samir", "Tomas",
    "Uma", "Vera", "Wanda", "Yara", "Zoe",
)  # fmt: skip
FAMILY = (
    "Abara", "Bergstrom", "Castellanos", "Dimitrov", "Eriksen", "Fontaine", "Grimaldi", "Haddad",
    "Ishikawa", "Jankowski", "Kowalczyk", "Lindqvist", "Moreau", "Nakamura", "Okonkwo", "Petrov",
    "Quintana", "Rasmussen", "Sato", "Thorvald", "Ueda", "Vasquez", "Weber", "Yilmaz", "Zeller",
)  # fmt: skip
STREETS = ("Pine street", "Mill lane", "Harbour road", "Chapel hill", "Station street", "North quay")
COMPLAINTS = (
    "shortness of breath on exertion",
    "chest pain radiating to the left arm",
    "fever and productive cough",
    "abdominal pain in the right lower quadrant",
    "dizziness on standing",
)
CHEST = ("Lungs are clear to auscultation.", "Crackles at both bases.", "Breath sounds reduced on the right.")
HEART = ("Heart sounds normal, no murmur.", "Systolic murmur at the apex.", "Pulse irregular.")
COURSE = (
    "Blood tests were taken and intravenous fluids were given.",
    "Antibiotics were started and the fever settled within two days.",
    "The patient was monitored overnight without further events.",
    "An echocardiogram showed a preserved ejection fraction.",
)
PLAN = (
    "Discharged home in good condition with a letter to the general practitioner.",
    "Follow-up in the outpatient clinic in four weeks.",
    "To continue the current medication and return if symptoms worsen.",
)
RARE = (
    "Work-up confirmed Whipple disease.",
    "Genetic testing showed Fabry disease.",
    "The biopsy was typical of Erdheim-Chester disease.",
    "Serology was positive for psittacosis; the patient breeds parrots.",
    "He plays first cello in the city orchestra and fears losing his grip.",
)


def notes(*, n_people: int = 40, seed: int = 0, language: str = "en") -> Corpus:
    """Two to four notes per person, in English (`en`), Spanish (`es`) or Japanese (`ja`)."""
    return labelled_notes(n_people=n_people, seed=seed, language=language)[0]


def labelled_notes(*, n_people: int = 40, seed: int = 0, language: str = "en") -> tuple[Corpus, list[dict[str, Any]]]:
    """The same notes, with the private spans of each document: `{"document": …, "spans": [[start, end], …]}`."""
    if language != "en":
        if language not in LANGUAGES:
            raise ParameterError(f"sample: there are notes in en, {', '.join(LANGUAGES)}; got language={language!r}.")
        return _abroad(LANGUAGES[language], n_people, seed)
    rng = np.random.default_rng(seed)
    texts: list[str] = []
    labels: list[dict[str, Any]] = []
    persons: list[str] = []
    for i in range(n_people):
        who = {
            "name": f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}",
            "born": _date(rng, 1931, 1999),
            "number": str(rng.integers(10_000_000, 99_999_999)),
            "address": f"{rng.integers(2, 99)} {rng.choice(STREETS)}",
            "rare": str(rng.choice(RARE)) if rng.random() < 0.1 else "",
        }
        for _ in range(int(rng.integers(2, 5))):
            text, spans = _note(rng, who)
            labels.append({"document": f"note-{len(texts) + 1:04d}", "spans": spans})
            texts.append(text)
            persons.append(f"patient-{i + 1:03d}")
    return Corpus.from_texts(texts, documents=[row["document"] for row in labels], persons=persons), labels


def _note(rng: np.random.Generator, who: dict[str, str]) -> tuple[str, list[list[int]]]:
    """One note, and where its private parts stand."""
    parts: list[tuple[str, bool]] = [
        ("Patient: ", False), (who["name"], True),
        ("\nDate of birth: ", False), (who["born"], True),
        ("\nRecord number: ", False), (who["number"], True),
        ("\n\nThe patient was admitted on ", False), (_date(rng, 2019, 2023), True),
        (f" with {rng.choice(COMPLAINTS)}. ", False),
        (f"On examination the patient is alert and oriented. {rng.choice(CHEST)} {rng.choice(HEART)} ", False),
        (f"{rng.choice(COURSE)} ", False),
    ]  # fmt: skip
    if rng.random() < 0.4:
        parts += [("Lives alone at ", False), (who["address"], True), (". ", False)]
    if who["rare"] and rng.random() < 0.7:
        parts += [(who["rare"], True), (" ", False)]
    parts += [(f"{rng.choice(PLAN)}\n", False), ("Seen by Dr ", False), (str(rng.choice(FAMILY)), True), (".\n", False)]
    text, spans = "", []
    for part, private in parts:
        if private:
            spans.append([len(text), len(text) + len(part)])
        text += part
    return text, spans


def _date(rng: np.random.Generator, first: int, last: int) -> str:
    return f"{rng.integers(first, last + 1)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}"


def _abroad(words: Words, n_people: int, seed: int) -> tuple[Corpus, list[dict[str, Any]]]:
    rng = np.random.default_rng(seed)

    def date(first: int, last: int) -> str:
        year, month, day = (int(rng.integers(*span)) for span in ((first, last), (1, 13), (1, 29)))
        return words.date.format(year=year, month=month, day=day)

    def one(choices: tuple[str, ...]) -> str:
        return str(rng.choice(choices))

    texts: list[str] = []
    labels: list[dict[str, Any]] = []
    persons: list[str] = []
    for i in range(n_people):
        own = {
            "name": words.name.format(given=one(words.given), family=one(words.family)),
            "born": date(1931, 1999),
            "number": words.number.format(number=rng.integers(10_000_000, 99_999_999)),
            "address": words.address.format(street=one(words.streets), house=rng.integers(2, 99)),
            "rare": one(words.rare) if rng.random() < 0.1 else "",
        }
        for _ in range(int(rng.integers(2, 5))):
            found = own | {"admitted": date(2019, 2024), "complaint": one(words.complaints)}
            found["doctor"] = words.name.format(given=one(words.given), family=one(words.family))
            parts = words.head + one(words.findings) + one(words.course)
            parts += words.lives if rng.random() < 0.4 else ""
            parts += "{rare}" + one(words.plan) + words.seen
            text, spans = _filled(parts, found)
            labels.append({"document": f"note-{len(texts) + 1:04d}", "spans": spans})
            texts.append(text)
            persons.append(f"patient-{i + 1:03d}")
    return Corpus.from_texts(texts, documents=[row["document"] for row in labels], persons=persons), labels


def _filled(template: str, declared: dict[str, str]) -> tuple[str, list[list[int]]]:
    """A note, and where what belongs to one person stands in it."""
    text, spans = "", []
    for before, name, *_ in Formatter().parse(template):
        text += before
        if name:
            if declared[name] and name != "complaint":
                spans.append([len(text), len(text) + len(declared[name].rstrip())])
            text += declared[name]
    return text, spans
