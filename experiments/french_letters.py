"""French discharge letters, all invented: the only French text that k-words was ever measured on, and what is private.

Written by the author of the rules in one sitting; a hospital's letters vary more.
"""

from __future__ import annotations

import random
import re

from experiments.s002_text import Labelled

LETTERS = 60
LAST = """Martin Bernard Petit Lefebvre Roux Blanc Garnier Chevalier Boulanger Marchand Lebrun Poirier Quéméner Le Goff
Delacroix-Mercier N'Diaye Benali Kerouredan Vaillancourt d'Aubigny Legrand Fontaine Colin Rolland Berger Dufeutrel"""
FIRST = (
    "Anne Jean-Luc Marguerite Yves Fatou Olivier Rose Pascal Clémence Gaël Aurore Prosper Éloïse Karim Violette Côme"
)
CITY = "Lyon|Rouen|Saint-Brieuc|Vannes|La Rochelle|Aix-en-Provence|Bourg-la-Reine|Nice|Tours|Moulins|Le Mans|Quimperlé"
STREET = """rue des Lilas|avenue du Maréchal-Foch|boulevard Voltaire|place de la Mairie|chemin du Moulin
|impasse des Roses"""
HOSPITAL = """CHU de {city}|Hôpital Saint-Antoine|Clinique des Cèdres|Centre hospitalier de {city}
|Hôpital Edouard-Herriot|Polyclinique du Parc"""
HEAD = """{HOSPITAL}¶Service de cardiologie - Chambre {ROOM}¶{STREET}, {ZIP} {CITY}¶Tél. : {PHONE}¶¶Le {DATE}
¶¶Cher confrère,¶¶
|{HOSPITAL}¶{CITY}, le {DATE}¶¶Concerne : {NAME}, né(e) le {DATE}, NIR {NIR}¶¶Madame, Monsieur,¶¶
|Compte rendu d'hospitalisation¶Patient : {NAME}¶Date de naissance : {DATE}¶IPP : {ID}¶Médecin traitant : Dr {LAST}¶¶"""
LINES = """M. {LAST}, {AGE}, a été hospitalisé du {DATE} au {DATE} pour une douleur thoracique constrictive.
|Mme {LAST} est adressée par le Dr {LAST} pour bilan d'une anémie ferriprive découverte en {MONTH} {YEAR}.
|Le patient vit à {CITY} avec son épouse ; il travaillait comme {JOB} jusqu'en {YEAR}.
|Antécédents : hypertension artérielle, diabète de type 2, appendicectomie dans l'enfance, tabagisme sevré.
|L'examen clinique retrouve un abdomen souple, dépressible, sans défense ni contracture.
|L'échographie abdominale du {DATE} montre une vésicule alithiasique et un foie homogène.
|La radiographie du thorax ne met pas en évidence de foyer parenchymateux ni d'épanchement pleural.
|Biologie : créatinine {n} µmol/l, CRP {n} mg/l, hémoglobine 11,{d} g/dl, plaquettes {n} G/l.
|Le traitement associe amoxicilline {n} mg et paracétamol en cas de douleur.
|Une coronarographie a été réalisée par le Pr {LAST} au {HOSPITAL} sans complication.
|Sa fille {FIRST} signale une perte d'appétit et un amaigrissement de {d} kg depuis trois mois.
|L'évolution est favorable sous antibiothérapie, avec apyrexie dès le deuxième jour.
|Le patient sera revu en consultation le {DATE} par le Dr {FIRST} {LAST} ({PHONE}).
|Sortie autorisée vers {CITY} le {DATE} ; ordonnance remise, infirmière à domicile prévenue.
|Aucun trouble neurologique focal ; réflexes ostéotendineux vifs et symétriques aux quatre membres.
|Nous restons à votre disposition pour tout renseignement complémentaire : {MAIL}."""
SIGNED = "Bien confraternellement,¶Dr {FIRST} {LAST}|Confraternellement.¶Pr {LAST}          Interne : {LAST}"
MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
JOB = "menuisier|institutrice|chauffeur de bus|boulanger|comptable"
SLOT = re.compile(r"\{(\w+)\}")


def french_letters(n: int = LETTERS, seed: int = 0) -> Labelled:
    """`n` letters with spans of start, end and kind."""
    written = [_letter(random.Random(f"fr {seed} {i}")) for i in range(n)]
    return Labelled([text for text, _ in written], [spans for _, spans in written])


def _of(block: str) -> list[str]:
    return [choice.replace("\n", " ").strip(" ") for choice in block.split("|")] if "|" in block else block.split()


def _letter(rng: random.Random) -> tuple[str, list]:
    lines = rng.sample(_of(LINES), rng.randint(7, 12))
    template = f"{rng.choice(_of(HEAD))}{' '.join(lines)}¶¶{rng.choice(_of(SIGNED))}¶".replace("¶", "\n")
    text, spans, at = "", [], 0
    for slot in SLOT.finditer(template):
        text += template[at : slot.start()]
        at, value = slot.end(), _value(slot.group(1), rng)
        if slot.group(1).isupper():
            spans.append([len(text), len(text) + len(value), slot.group(1)])
        text += value
    return text + template[at:], spans


def _value(slot: str, rng: random.Random) -> str:
    def pick(block: str) -> str:
        return rng.choice(_of(block))

    r, last = rng.randint, re.sub("^(Le|Goff)$", "Le Goff", pick(LAST))
    day, month, year = r(1, 28), r(1, 12), r(1935, 2023)
    made = {
        "LAST": last,
        "FIRST": pick(FIRST),
        "NAME": rng.choice((f"{pick(FIRST)} {last}", f"{last.upper()} {pick(FIRST)}")),
        "CITY": pick(CITY),
        "ZIP": f"{r(1000, 95999):05d}",
        "STREET": f"{r(1, 140)}{rng.choice((',', ' bis,', ''))} {pick(STREET)}",
        "HOSPITAL": pick(HOSPITAL).format(city=pick(CITY)),
        "DATE": rng.choice(
            (f"{day:02d}/{month:02d}/{year}", f"{day} {_of(MONTHS)[month - 1]} {year}", f"{day:02d}/{month:02d}")
        ),
        "MONTH": pick(MONTHS),
        "YEAR": str(year),
        "AGE": f"{r(18, 97)} ans",
        "PHONE": " ".join(f"{n:02d}" for n in (r(1, 7), *(r(0, 99) for _ in range(4)))),
        "NIR": f"{r(1, 2)} {year % 100:02d} {month:02d} {r(10, 95)} {r(100, 999)} {r(100, 999)} {r(10, 97)}",
        "ID": str(r(10**6, 10**8)),
        "ROOM": str(r(100, 420)),
        "JOB": pick(JOB),
        "MAIL": f"{pick(FIRST).lower()}@chu-{r(1, 9)}.fr",
        "n": str(r(20, 400)),
        "d": str(r(1, 9)),
    }
    return made[slot]
