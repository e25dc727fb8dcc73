"""German discharge letters, all invented: a stand-in for letters that nobody may hand out, and what is private in them.

Written for `k-words`, before its German rules were measured on them. Names are drawn from common ones, from rare ones
that no list has, and from ones that are everyday words (Sommer, Stark). Sentences are drawn and filled at random, so no
two letters agree; still one author wrote them all, and a hospital's letters vary more.
"""

from __future__ import annotations

import random
import re

from experiments.s002_text import Labelled

LETTERS = 50
FIRST = """Anna Leopold Josefine Karl Maria Heinz Gerlinde Ferdinand Walburga Mehmet Agnieszka Detlef Swantje Burghard
Luitgard Tamara Jörg Hannelore Kilian Friederike Ottokar Edeltraud Milan Fatima Siegbert Roswitha Jan Ute
Lothar Beate"""
LAST = """Müller Gruber Huber Schmidt Kowalski Yilmaz Sommer Stark Vogel Zimmermann Kienzler Treibholz Rombeck Pöltinger
Wiesflegel Hasenbrink Quandl Obermoosleitner Schleinitzer Drexelius Brömmelkamp Ziegenspeck Tschurtschenthal Vonderau
Haberkorn Lindwurm Klostermeier Ohnesorg Wackernagel Übelhör Petrovic Demirci Nachtigall Sauerbier Feuerstack
Kranewitter Bleibtreu Rauschmaier Glanzer Eisenhut Morgenroth Süßkind Feichtlbauer Zschunke Kupferschmied Altenrath"""
CITY = """Graz Linz Leoben Kassel Augsburg Wels Zwickau Fürstenfeld Kleinhöflein Ottersweiler Bergenhusen Neuried
Rottenbach Heiligenkreuz Altmünster Oberkirchen Steinfurt Wolfsbergen Mariental Grünwalden"""
STREET = """Kirchengasse|Bahnhofstraße|Am Mühlbach|Lindenweg|Hauptplatz|Ringstr.|Schulstraße|Obere Marktgasse
|Birkenallee|Kärntner Straße|An der Stadtmauer|Wiesengrund|Zum Alten Forst|Mozartgasse|Feldrain"""
WARD = """Innere Medizin|Unfallchirurgie|Neurologie|Kardiologie|Urologie|Orthopädie und Traumatologie|Augenheilkunde
|Hals-Nasen-Ohrenheilkunde|Gastroenterologie und Hepatologie|Dermatologie|Psychiatrie|Radioonkologie"""
HOSPITAL = """Landeskrankenhaus {city}|Klinikum {city}|Krankenhaus der Barmherzigen Schwestern {city}|LKH {city}
|Universitätsklinikum {city}|St. Josef-Hospital {city}|Rehaklinik {last}hof|Klinik am {last}park
|Elisabethinen-Krankenhaus
|Herz-Jesu-Krankenhaus {city}|Medizinische Universität {city}|MVZ {city}|Privatklinik {last}|Kreiskrankenhaus {city}"""
JOB = """Lehrerin|Tischler|Bankangestellte|Landwirt|pensionierter Schlosser|Friseurin|Busfahrer|Verkäuferin|Maurer
|Buchhalterin|Köchin|Elektriker|Hausfrau|Jurist"""
DRUG = """Ramipril|Metoprolol|Pantoprazol|Amlodipin|Simvastatin|Metformin|Enoxaparin|Ibuprofen|Novaminsulfon|Torasemid
|Bisoprolol|Levothyroxin|Allopurinol|Tamsulosin|Mirtazapin|Prednisolon|Cefuroxim|Apixaban|Furosemid|Duloxetin"""
LAB = """Leukozyten|Hämoglobin|Kreatinin|Harnstoff|Natrium|Kalium|C-reaktives Protein|Thrombozyten|Gamma-GT|Bilirubin
|Troponin T|Ferritin|TSH basal|Quick|Cholesterin|HbA1c"""
DIAGNOSIS = """Arterielle Hypertonie|Diabetes mellitus Typ II|Z.n. Appendektomie|Chronische Niereninsuffizienz
|Vorhofflimmern|Hypothyreose|Koronare Herzkrankheit mit Z.n. Hinterwandinfarkt|Hyperlipidämie
|Pertrochantäre Femurfraktur|Cholezystolithiasis|Katarakt beidseits|COPD Stadium III|Lumboischialgie
|Nephrolithiasis|Depressive Episode
|Adenokarzinom des Colon ascendens|Pneumonie im rechten Unterlappen|Tinnitus aurium|Gonarthrose|Psoriasis vulgaris"""
GREETING = """Sehr geehrter Herr Kollege {LAST}!|Sehr geehrte Frau Kollegin {LAST},|Sehr geehrte Damen und Herren,
|Sehr geehrter Herr {TITLE} {LAST},|Liebe Frau {TITLE} {LAST}, liebe Kolleginnen und Kollegen,|Werter Herr Kollege!"""
OPENING = """wir berichten über {HERRN} {NAME}, geboren am {DATE}, der sich vom {DATE} bis {DATE} in unserer
stationären Behandlung befand.
|wir danken für die Zuweisung von {HERRN} {NAME} ({DATE}), wohnhaft in {STREET}, {ZIP} {CITY}.
|Ihr Patient {NAME}, geb. {DATE}, wohnhaft {STREET} in {ZIP} {CITY}, wurde am {DATE} in unserer Ambulanz vorstellig.
|über den stationären Aufenthalt von {HERRN} {NAME}, geb. am {DATE}, vom {DATE} bis zum {DATE} dürfen wir berichten:
|o.g. {AGE} Patient wurde uns am {DATE} durch den Notarzt mit Verdacht auf {diagnosis} zugewiesen."""
HISTORY = """Die Aufnahme erfolgte wegen seit drei Tagen zunehmender Schmerzen im {side} Unterbauch ohne Ausstrahlung.
|{HERR} {LASTP} berichtet über Belastungsdyspnoe und nächtliche Hustenanfälle mit zähem Auswurf.
|Der {AGE} Patient stürzte am {DATE} auf glattem Untergrund und verspürte sofort starke Schmerzen in der {side} Hüfte.
|Bis auf eine Tonsillektomie in der Kindheit sei er nie ernsthaft krank gewesen, so {HERR} {LASTP}.
|Am {DATE} war {HERR} {LASTP} bereits im {HOSPITAL} wegen derselben Beschwerden in Behandlung.
|Die Patientin lebt mit ihrem Ehemann in {CITY}, ist {JOB} und hat zwei gesunde Kinder.
|Sozialanamnese: verwitwet, {JOB}, Raucher mit etwa 30 Packungsjahren, gelegentlich Alkohol.
|Die Erstdiagnose wurde {YEAR} gestellt; seither regelmäßige Kontrollen bei {TITLE} {DOCTOR} in {CITY}.
|Fieber, Schüttelfrost und Nachtschweiß wurden verneint, Stuhlgang und Miktion seien unauffällig.
|Eine bekannte Penicillinallergie führte zu einem ausgedehnten Exanthem am Stamm und an den Extremitäten.
|Seit {MONTH} {YEAR} besteht eine progrediente Gangunsicherheit mit wiederholten Sturzereignissen.
|Die Fremdanamnese mit der Tochter ergab eine seit Monaten bestehende Vergesslichkeit und Antriebsarmut.
|Im Rahmen einer Vorsorgeuntersuchung durch {TITLE} {DOCTOR} fiel eine Mikrohämaturie auf.
|Zuletzt nahm {HERR} {LASTP} {drug} und {drug} in wechselnder Dosierung ein."""
FINDINGS = """{AGE} Patient in gutem Allgemein- und reduziertem Ernährungszustand, {n2} kg bei {n3} cm.
|Cor: rein, rhythmisch, normofrequent. Pulmo: vesikuläres Atemgeräusch beidseits, keine Rasselgeräusche.
|Abdomen weich, Druckschmerz im {side} Oberbauch, keine Abwehrspannung, lebhafte Darmgeräusche in allen Quadranten.
|Die Pupillen sind isokor und reagieren prompt auf Licht; der Hirnnervenstatus ist regelrecht.
|EKG: Sinusrhythmus, Linkstyp, Frequenz {n2}/min, keine signifikanten Erregungsrückbildungsstörungen.
|Sonographie des Abdomens: Leber normal groß, homogene Binnenstruktur, Gallenblase steinfrei, Nieren unauffällig.
|Röntgen Thorax vom {DATE}: Herzschatten grenzwertig verbreitert, keine Stauungszeichen, keine flächigen Infiltrate.
|In der Computertomographie zeigte sich eine Raumforderung von {n2} mm mit randständiger Kontrastmittelaufnahme.
|MRT der Lendenwirbelsäule ({HOSPITAL}, {DATE}): Bandscheibenvorfall im Segment L4/5 mit Kompression der Wurzel.
|Visus rechts 0,8, links 0,5 mit eigener Korrektur; der Augeninnendruck ist beidseits normwertig.
|Echokardiographie: gute linksventrikuläre Funktion, geringe Mitralklappeninsuffizienz, kein Perikarderguss.
|Die Wunde ist reizlos, die Fäden wurden am zehnten postoperativen Tag entfernt.
|Histologie (Nr. {ID}): mäßig differenziertes Plattenepithelkarzinom, Resektionsränder tumorfrei.
|Lungenfunktion: mittelgradige obstruktive Ventilationsstörung ohne Reversibilität nach Bronchospasmolyse.
|Psychischer Befund: wach, voll orientiert, im Affekt gedrückt, Antrieb vermindert, kein Hinweis auf Suizidalität.
|Labor: {lab} {n2} mg/dl, {lab} {n1},{n1} mmol/l, {lab} {n2} U/l, {lab} {n1},{n1} g/dl.
|Laborwerte vom {DATE}: {lab} {n2}, {lab} {n1},{n1}, {lab} {n3}, übrige Parameter im Referenzbereich."""
COURSE = """Nach entsprechender Vorbereitung wurde am {DATE} in Intubationsnarkose eine laparoskopische Entfernung
vorgenommen.
|Der postoperative Verlauf gestaltete sich komplikationslos, die Mobilisation gelang rasch unter Physiotherapie.
|Unter antibiotischer Behandlung mit {drug} sanken die Entzündungsparameter, und {HERR} {LASTP} war bald fieberfrei.
|Am {DATE} erfolgte durch {TITLE} {DOCTOR} die Implantation einer zementfreien Hüftendoprothese {side}seitig.
|Wegen einer Verschlechterung der Nierenfunktion wurde {drug} abgesetzt und auf {drug} {n2} mg umgestellt.
|Konsiliarisch sah {TITLE} {DOCTOR} ({HOSPITAL}) den Patienten und empfahl eine Kernspintomographie.
|Die Aufklärung über Nutzen und Risiken des Eingriffs erfolgte ausführlich, {HERR} {LASTP} willigte ein.
|In der Tumorkonferenz vom {DATE} wurde eine adjuvante Chemotherapie über sechs Zyklen beschlossen.
|Eine Verlegung in das {HOSPITAL} wurde von {HERRN} {LASTP} und seinen Angehörigen nicht gewünscht.
|Die Schmerzen besserten sich unter {drug} {n2} mg und lokaler Kälteanwendung deutlich.
|Während des Aufenthaltes kam es zu einer flüchtigen Aphasie, die sich innerhalb einer Stunde zurückbildete.
|Ein Rehabilitationsaufenthalt in {CITY} ab {DATE} wurde beantragt und von der Pensionsversicherung bewilligt.
|{HERR} {LASTP} konnte am {DATE} in gebessertem Allgemeinzustand in die häusliche Pflege entlassen werden.
|Die Blutzuckerwerte lagen nach Anpassung der Insulindosis überwiegend im angestrebten Bereich."""
PLAN = """Wir bitten um Kontrolle der Nierenwerte in zwei Wochen sowie um Wundkontrolle durch den Hausarzt.
|Eine Wiedervorstellung ist für den {DATE} um 9 Uhr in unserer Ambulanz vereinbart (Tel. {PHONE}).
|Körperliche Schonung für sechs Wochen, danach schrittweise Belastungssteigerung nach Beschwerdebild.
|Für Rückfragen steht Ihnen {TITLE} {DOCTOR} unter {PHONE} gerne zur Verfügung.
|Empfohlen werden Gewichtsreduktion, salzarme Kost und regelmäßige Blutdruckmessungen mit Protokoll.
|Thromboseprophylaxe mit {drug} subkutan bis zur vollständigen Mobilisierung.
|Bei erneutem Auftreten von Fieber oder Atemnot bitten wir um sofortige Wiedervorstellung."""
MEDICATION = "{drug} {n2} mg 1-0-1|{drug} {n1} mg 0-0-1|{drug} {n2} mg 1-0-0-0|{drug} Trpf. bei Bedarf|{drug} 1-0-0"
SIGNED = """Mit freundlichen kollegialen Grüßen¶¶{TITLE} {DOCTOR}¶Oberarzt
|Mit freundlichen Grüßen¶¶{TITLE} {DOCTOR}      {TITLE} {DOCTOR}¶Abteilungsvorstand    Assistenzärztin
|Hochachtungsvoll¶{TITLE} {DOCTOR}, {TITLE} {DOCTOR}
|Mit besten Grüßen¶{TITLE} {FIRST} {LAST}¶(elektronisch vidiert)"""
TITLE_WORDS = (
    "Dr.|Dr. med.|OA Dr.|Prim. Univ.-Prof. Dr.|Prof. Dr. med.|Priv.-Doz. Dr.|Ass. Dr.|Univ.-Prof. DDr.|Dr. med. univ."
)
MONTHS = "Jänner Februar März April Mai Juni Juli August September Oktober November Dezember"
HEADS = {
    "Diagnosen": ("Diagnosen:", "Entlassungsdiagnosen", "DIAGNOSE(N):", "Dauerdiagnosen:"),
    "history": ("Anamnese:", "Zur Vorgeschichte", "Anamnese und Aufnahmegrund:", "Aktuelle Anamnese"),
    "findings": ("Befunde:", "Status praesens", "Körperliche Untersuchung und Befunde:", "Aufnahmebefund"),
    "course": ("Therapie und Verlauf:", "Verlauf", "Epikrise:", "Zusammenfassung des stationären Verlaufs:"),
    "plan": ("Procedere:", "Weiteres Vorgehen", "Empfehlung:", "Therapieempfehlung:"),
    "drugs": ("Medikation bei Entlassung:", "Entlassungsmedikation", "Therapie:", "Letzte Medikation:"),
}
SLOT = re.compile(r"\{(\w+)\}")
ALIKE = {"LASTP": "NAME", "LAST": "NAME", "FIRST": "NAME", "DOCTOR": "NAME", "ZIP": "CITY", "MONTH": "DATE",
         "YEAR": "DATE"}  # fmt: skip


def german_letters(n: int = LETTERS, seed: int = 0) -> Labelled:
    """`n` letters with spans of start, end and kind."""
    written = [_Letter(random.Random(f"{seed} {i}")) for i in range(n)]
    return Labelled([letter.text for letter in written], [letter.spans for letter in written])


def _of(block: str) -> list[str]:
    """What a block offers: sentences parted by bars, or words."""
    if "|" not in block:
        return block.split()
    return [choice.replace("\n", " ").replace("¶", "\n").strip(" ") for choice in block.split("|")]


class _Letter:
    """One letter as it is written, with what is private in it."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.text, self.spans = "", []
        self.patient = (self.pick(FIRST), self.pick(LAST))
        self.born = rng.randrange(1928, 2004)
        self.herr = rng.choice([("Herr", "Herrn"), ("Frau", "Frau")])
        rows = rng.random() < 0.8
        self.say("{HOSPITAL}\n")
        if rows:
            self.say(
                f"Abteilung für {self.pick(WARD)}\n{{STREET}}, {{ZIP}} {{CITY}}\nTel.: {{PHONE}}  Fax: {{PHONE}}\n\n"
            )
        if rng.random() < 0.7:
            self.say("{TITLE} {DOCTOR}\n{STREET}\n{ZIP} {CITY}\n\n")
        self.say(rng.choice(("{CITY}, am {DATE}\n\n", "{CITY}, {DATE}\n\n", "Datum: {DATE}\n\n")))
        self.say(
            rng.choice(
                (
                    "Betrifft: {NAME}, geb. {DATE}, Fallnr. {ID}\n\n",
                    "Patient: {NAME}\nGeburtsdatum: {DATE}\nAufnahmezahl: {ID}\nVersicherungsnummer: {ID}\n\n",
                    "ARZTBRIEF\n{NAME}, {DATE}, {STREET}, {ZIP} {CITY}\n\n",
                    "",
                )
            )
        )
        self.say(self.pick(GREETING) + "\n\n" + self.pick(OPENING) + "\n\n")
        parts = [("Diagnosen", DIAGNOSIS, (2, 5), "\n"), ("history", HISTORY, (3, 6), " "),
                 ("findings", FINDINGS, (4, 8), rng.choice((" ", "\n"))), ("course", COURSE, (3, 6), " "),
                 ("drugs", MEDICATION, (3, 5), "\n"), ("plan", PLAN, (2, 4), rng.choice((" ", "\n")))]  # fmt: skip
        for head, block, (low, high), between in parts:
            some = _of(block)
            drawn = rng.sample(some, min(len(some), rng.randint(low, high)))
            self.say(rng.choice(HEADS[head]) + "\n" + between.join(drawn) + "\n\n")
        self.say(self.pick(SIGNED) + "\n")

    def pick(self, block: str) -> str:
        return self.rng.choice(_of(block))

    def say(self, template: str) -> None:
        """Write a template; what stands for a person, place or time is marked."""
        at = 0
        for slot in SLOT.finditer(template):
            self.text += template[at : slot.start()]
            at = slot.end()
            name = slot.group(1)
            if name.islower():
                self.text += getattr(self, f"_{name}")()
            elif name in ("HERR", "HERRN"):
                self.text += self.herr[name == "HERRN"]
            else:
                start = len(self.text)
                self.text += getattr(self, f"_{name.lower()}_private")()
                self.spans.append([start, len(self.text), ALIKE.get(name, name)])
        self.text += template[at:]

    def _name_private(self) -> str:
        first, last = self.patient
        return self.rng.choice((f"{first} {last}", f"{last} {first}", f"{last.upper()} {first}"))

    def _lastp_private(self) -> str:
        return self.patient[1]

    def _last_private(self) -> str:
        return self.pick(LAST)

    def _first_private(self) -> str:
        return self.pick(FIRST)

    def _doctor_private(self) -> str:
        first = self.pick(FIRST)
        return self.rng.choice((self.pick(LAST), f"{first} {self.pick(LAST)}", f"{first[0]}. {self.pick(LAST)}"))

    def _title_private(self) -> str:
        return self.pick(TITLE_WORDS)

    def _date_private(self) -> str:
        day, month, year = self.rng.randint(1, 28), self.rng.randint(1, 12), self.rng.randint(2009, 2024)
        shapes = (f"{day:02d}.{month:02d}.{year}", f"{day}.{month}.{year}", f"{day}. {_of(MONTHS)[month - 1]} {year}",
                  f"{day:02d}.{month:02d}.{year % 100:02d}", f"{day}.{month}.")  # fmt: skip
        return self.rng.choice(shapes)

    def _month_private(self) -> str:
        return self.pick(MONTHS)

    def _year_private(self) -> str:
        return str(self.rng.randint(1985, 2023))

    def _age_private(self) -> str:
        return f"{2022 - self.born}-jährige" if self.herr[0] == "Frau" else f"{2022 - self.born}-jähriger"

    def _hospital_private(self) -> str:
        return self.pick(HOSPITAL).format(city=self.pick(CITY), last=self.pick(LAST))

    def _city_private(self) -> str:
        return self.pick(CITY)

    def _zip_private(self) -> str:
        return str(self.rng.randint(1010, 99998))

    def _street_private(self) -> str:
        return f"{self.pick(STREET)} {self.rng.randint(1, 140)}{self.rng.choice(('', '', 'a', '/3'))}"

    def _phone_private(self) -> str:
        area, number = self.rng.randint(200, 9999), self.rng.randint(10000, 9999999)
        return self.rng.choice(
            (f"0{area}/{number}", f"+43 {area} {number}", f"0{area}-{number}", f"DW {number % 10000}")
        )

    def _id_private(self) -> str:
        return self.rng.choice(
            (str(self.rng.randint(10**6, 10**9)), f"H{self.rng.randint(1000, 99999)}/{self.born % 100}")
        )

    def _job_private(self) -> str:
        return self.pick(JOB)

    def _drug(self) -> str:
        return self.pick(DRUG)

    def _lab(self) -> str:
        return self.pick(LAB)

    def _diagnosis(self) -> str:
        return self.pick(DIAGNOSIS)

    def _side(self) -> str:
        return self.rng.choice(("rechten", "linken"))

    def _n1(self) -> str:
        return str(self.rng.randint(1, 9))

    def _n2(self) -> str:
        return str(self.rng.randint(20, 98))

    def _n3(self) -> str:
        return str(self.rng.randint(150, 195))


if __name__ == "__main__":
    print(german_letters(2).texts[1])


WORD_NAMES = """Koch Lang Kurz Klein Schwarz Jung Engel Winter Herbst Fuchs Wolf Bach Berg Busch Kaiser Richter Weiß
Braun Freitag Rose Heide Mai Stein Hahn Krebs Bein Ader Hals Kern Brand Sturm Frost Licht Blank Grob Zahn Kopf Herz
Fieber Müller-Herbst Ohm-Krüger Kleine-Möllhoff Strauß Nagel Hammer Schilling Roth Sauer Kühn Stolz Ehrlich Still"""
PARTED = "von der Heide|Meyer zu Borgloh|van den Boom|de Haas|zur Mühlen|von Thun|El-Khatib|Nguyen Thi Lan|Özdemir-Koch"
GIVEN = "Ernst Rosa Viola August Wolf Horst Iris Linde Heide Kevin Aylin Dragan Jaqueline Nele Þóra Zbigniew Felicitas"
TOWN = "Bremen-Vegesack|Bad Zwesten|Sankt Peter|Essen|Halle|Au|Münster i.W.|Hof|Dorf Mecklenburg|Kiel|Neustadt a.d.W."
FIRM = "Bosch|Daimler|Edeka|Stadtwerke|Bäckerei Koch|Spedition Brand|Siemens|Deutsche Bahn"
HARD_HEAD = """KLINIKUM {TOWN_UP}¶Medizinische Klinik II · Chefarzt {TITLE} {HLAST}¶Station {STATION}, Tel. {SLASHED}¶¶
|Arztbrief ¶Hausarzt: {TITLE} {HGIVEN} {HLAST}¶Pat.: {HLAST}, {HGIVEN}  *{SHORT}  Vers.-Nr. {INSURED}¶¶
|{HLAST} {HGIVEN}¶{HSTREET}¶{ZIP} {TOWN}¶KV-Nr.: {INSURED} / Fall {FALL}¶¶
|Gemeinschaftspraxis {TITLE} {HLAST} & Partner¶{HSTREET}, {ZIP} {TOWN}¶Fon {SLASHED} · Fax {SLASHED}¶¶"""
HARD_LINES = """Pat. {HLAST} klagt seit {MONTHS} über rez. Thoraxschmerz, V.a. instabile AP, Z.n. PTCA {MONTHS}.
|Wdh. Vorstellung am {SHORT} wg. Belastungsdyspnoe NYHA III, Ödeme bds., ansonsten o.B.
|Der Pat. stammt aus {TOWN}, arbeitet bei {FIRM} im Lager und lebt mit Sohn {HGIVEN} im Haus der Eltern.
|Frau {HLAST} wurde auf Station {STATION} von PJ {HLAST} betreut, Visite durch OA {HLAST} und {HLAST}.
|Z.n. Sturz auf der {HSTREET} in {TOWN}; die Ehefrau {HGIVEN} {HLAST} brachte ihn in die ZNA.
|In der Nacht vom {SHORT} auf den {SHORT} kam es zu einem hypertensiven Notfall mit RR 220/110 mmHg.
|Herr {HLAST} jun. ist Betreuer, erreichbar unter {SLASHED} oder {SLASHED}.
|Ltd. Arzt {HLAST} empfiehlt eine ambulante Koloskopie bei {TITLE} {HLAST}, {TOWN}.
|{HLAST} gab an, dass Schwester {HGIVEN} die Tabletten stelle.
|Der Tumormarker CEA stieg von {n2} auf {n3} µg/l, daher Vorstellung im Tumorboard am {SHORT}.
|Bei Aufnahme Bein rechts livide, Herz rhythmisch, Hals frei, Kopf frei beweglich, kein Fieber, Zahnstatus saniert.
|Im Sturm der Symptome blieb der Kern des Problems, eine Ader am Hals, lange unerkannt.
|Anamnestisch Krebs der Brustdrüse links, operiert {MONTHS} in {TOWN}, Nachsorge bei {TITLE} {HLAST}.
|Die Dosis von {drug} wurde ab {SHORT} auf {n2} mg erhöht; Spiegelkontrolle KW {n1}/2021.
|Eine Kopie geht an Fa. {FIRM} (Betriebsarzt {HLAST}) sowie an das Jugendamt {TOWN}.
|Nach Rücksprache mit Koll. {HLAST} ({TOWN}) erfolgte die Verlegung auf die {STATION}.
|Die Mutter, geb. {HLAST}, verstarb {YEAR} an einem Mammakarzinom."""
HARD_TABLE = """LABOR {SHORT}¶Leukozyten     {n1},{n1} /nl¶Hämoglobin     {n1},{n1} g/dl¶GFR (CKD-EPI)  {n2} ml/min
|Parameter\t{SHORT}\t{SHORT}¶CRP\t{n2}\t{n1},{n1}¶Kreatinin\t{n1},{n1}\t{n1},{n1}¶Quick\t{n2} %\t{n2} %"""
HARD_END = """gez. {TITLE} {HLAST}    i.A. {HLAST}¶Diktat: {SIGN}
|{TITLE} {HLAST}            {HGIVEN} {HLAST}¶Chefarzt              Ass.-Ärztin¶({SIGN})
|MfG¶{HLAST}¶FA f. Innere Medizin¶Ust-Id {INSURED}"""


def hard_letters(n: int = LETTERS, seed: int = 0) -> Labelled:
    """Letters meant to break rules: names that are words, abbreviations, tables, initials, short dates."""
    written = [_HardLetter(random.Random(f"hard {seed} {i}")) for i in range(n)]
    return Labelled([letter.text for letter in written], [letter.spans for letter in written])


class _HardLetter(_Letter):
    """A letter of another hand."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.text, self.spans = rng, "", []
        self.last, self.given = rng.choice(_of(WORD_NAMES) * 3 + _of(PARTED) * 2 + _of(LAST)), self.pick(GIVEN)
        self.born = rng.randrange(1928, 2004)
        self.say(self.pick(HARD_HEAD) + "DIAGNOSEN\n- " + "\n- ".join(rng.sample(_of(DIAGNOSIS), 3)) + "\n\n")
        self.say("ANAMNESE UND VERLAUF: " + " ".join(rng.sample(_of(HARD_LINES), rng.randint(6, 11))) + "\n\n")
        self.say(" ".join(rng.sample([s for s in _of(FINDINGS) if "{AGE}" not in s], 3)) + "\n\n")
        self.say(self.pick(HARD_TABLE) + "\n\n" + self.pick(HARD_END) + "\n")

    def _hlast_private(self) -> str:
        return self.rng.choice((self.last, self.rng.choice(_of(WORD_NAMES) * 2 + _of(PARTED) + _of(LAST))))

    def _hgiven_private(self) -> str:
        return self.pick(GIVEN)

    def _town_private(self) -> str:
        return self.rng.choice(_of(TOWN) + _of(CITY))

    def _town_up_private(self) -> str:
        return self._town_private().upper()

    def _firm_private(self) -> str:
        return self.pick(FIRM)

    def _hstreet_private(self) -> str:
        names = "Große Bleiche|Koppel|Bgm.-Smidt-Str.|Alter Markt|Am Wall|Hinterm Deich|Schöne Aussicht|Brückenstr."
        return f"{self.rng.choice(names.split('|'))} {self.rng.randint(1, 99)}"

    def _station_private(self) -> str:
        return self.rng.choice(("3B", "M42", "4.2", "Intensiv 1", "C7"))

    def _slashed_private(self) -> str:
        r = self.rng.randint
        return self.rng.choice((f"0421/497-{r(10, 99)} {r(10, 99)}", f"(089) {r(1000, 9999)}-0 / -{r(1000, 9999)}",
                                f"0172 / {r(100, 999)} {r(10, 99)} {r(10, 99)}", f"-{r(1000, 9999)}"))  # fmt: skip

    def _short_private(self) -> str:
        day, month, year = self.rng.randint(1, 28), self.rng.randint(1, 12), self.rng.randint(2015, 2023)
        return self.rng.choice((f"{day}.{month}.", f"{day}.{month}.{year % 100}", f"{day:02d}.{month:02d}.{year}"))

    def _months_private(self) -> str:
        month, year = self.rng.randint(1, 12), self.rng.randint(2005, 2023)
        return self.rng.choice((f"{month:02d}/{year}", f"{month}/{year % 100:02d}", f"{_of(MONTHS)[month - 1]} {year}",
                                f"Mitte {_of(MONTHS)[month - 1]}", f"Anfang {year}"))  # fmt: skip

    def _insured_private(self) -> str:
        r, nine = self.rng.randint, self.rng.randint(10**8, 10**9 - 1)
        return self.rng.choice((f"A{nine}", f"{r(1000, 9999)} {r(10, 28)}0{r(1, 9)}{r(40, 99)}", f"IK {nine}",
                                f"DE {r(100, 999)} {r(100, 999)} {r(100, 999)}"))  # fmt: skip

    def _fall_private(self) -> str:
        return f"{self.rng.randint(10, 99)}-{self.rng.randint(1000, 9999)}"

    def _sign_private(self) -> str:
        return self.rng.choice(("Kö/mw", "sch/br", "HL/ks", "dr.ko/se"))
