"""German letters and Japanese reports of another hand, all invented: no rule was changed after looking at their scores.

Written before the thresholds of the tagger were last chosen, on other texts. Wards, forms and vocabulary differ from
`german_letters.py` and `japanese_reports.py`; still no text here is a real hospital's.
"""

from __future__ import annotations

import random
import re

from experiments.s002_text import Labelled

LETTERS = 63
LAST = """Aigner Thalhammer Wischnewski Brandstätter Kuhlmann Osterkamp Dörfler Grabowski Hinterholzer Lachmann Nowak
Pfannenstiel Reisinger Schürmann Tannert Utz Vollmer Westphal Zeisig Achleitner Birnbaum Ceylan Distelkamp Ebersold
Fassbinder Gschwandtner Holzapfel Immenkötter Jessen Kohlschreiber Löwe Moosbrugger Neumeyer Oswald Paschke Rausch
Sperling Tiefenbacher Uhlig Voss Wagenknecht Yıldırım Zumbusch Adler Krähenbühl Haslinger Papadopoulos Lindqvist
Rosenkranz Spengler Bäumler Kempf Maric Trautwein Wimmer Dietz Ruppert Schober"""
FIRST = """Bernhard Cornelia Dietmar Elfriede Franziska Gernot Helga Ingeborg Joachim Katharina Ludwig Magdalena Norbert
Oskar Petra Reinhold Sabine Theresia Ulrich Veronika Wilhelm Yasemin Zdenka Benno Irmgard Rüdiger Hildegard Emre
Svetlana Gudrun"""
TOWN = """Salzburg|Rosenheim|Bad Aibling|Villach|Hollabrunn|Celle|Gmunden|Tübingen|Mistelbach|Husum|St. Veit|Passau
|Traunreut|Bludenz|Schwäbisch Hall|Güstrow|Ried im Innkreis|Landshut|Öhringen|Waidhofen"""
STREET = """Rathausplatz|Südtiroler Straße|Amselweg|Am Kreuzfeld|Karl-Renner-Straße|Dorfstr.|Postgasse|Uferweg
|Steinbruch|Beethovenstraße|Lärchenhang|Untere Zeile"""
HOSPITAL = """Salzkammergut-Klinikum {town}|Klinikum {town}|Krankenhaus {town}|Landesklinikum {town}|Kreisklinik {town}
|Universitätsklinik für Neurochirurgie {town}|Kaiserin-Auguste-Krankenhaus|Ordensklinikum {town}|Reha-Zentrum {town}
|Krankenhaus der Elisabethinen"""
JOB = """Postbeamter|Kindergärtnerin|Dachdecker|Steuerberaterin|Winzer|Krankenschwester|Schulwart|Kellnerin|Kranführer
|Lektorin"""
DRUG = """Pregabalin Quetiapin Rivaroxaban Candesartan Spironolacton Hydromorphon Vancomycin Escitalopram Levetiracetam
Salbutamol Methotrexat Folsäure Insulin Eisen Cotrimoxazol Valproat Lorazepam Empagliflozin Colchicin Denosumab"""
HEADS = """{HOSPITAL}¶Klinik für {dept}¶Leitung: {TITLE} {DOCTOR}¶{STREET} {ZIP} {TOWN}¶Telefon {PHONE}¶¶
Entlassungsbericht¶Name: {LAST1}, {FIRST1}¶geb.: {DATE}¶Aufenthalt: {DATE} - {DATE}¶Fallzahl {ID}¶¶
|An¶{TITLE} {DOCTOR}¶{STREET}¶{ZIP} {TOWN}¶¶{TOWN}, den {DATE}¶¶Betreff: {FIRST1} {LAST1}, *{DATE}, wh. {STREET},
{ZIP} {TOWN}¶¶Sehr geehrte Frau Doktor {LAST},¶¶
|AMBULANZPROTOKOLL {DATE} {TIME} Uhr¶Patientin/Patient: {LAST1} {FIRST1}¶SVNR {ID}¶Zuweiser: {TITLE} {DOCTOR}, {TOWN}¶¶
|Pflegeverlegungsbericht¶von: {HOSPITAL}, Station {WARD}¶Bewohner: {LAST1}, {FIRST1} ({AGE})¶Angehörige: {FIRST}
{LAST1}, {PHONE}¶¶
|{dept} - Befundbericht¶¶{LAST1} {FIRST1}, geboren {DATE}, Aufnahmenummer {ID}¶Einsender: {HOSPITAL}¶¶"""
DEPT = """Geriatrie|Neurochirurgie|Frauenheilkunde und Geburtshilfe|Kinder- und Jugendmedizin|Hämatologie|Pathologie
|Anästhesie und Intensivmedizin|Nephrologie|Pneumologie|Gefäßchirurgie|Strahlentherapie"""
TOPICS = ("Diagnosen", "Vorgeschichte", "Untersuchung", "Verlauf", "Beurteilung", "Therapievorschlag")
LINES = {
    "Diagnosen": """Akutes Nierenversagen bei Exsikkose|Subakute Subduralblutung links frontal|Rezidivierende Synkopen
|Infizierter Dekubitus am Steißbein, Grad III|Aortenklappenstenose, höhergradig|Multiple Sklerose, schubförmig
|Akute myeloische Leukämie in zweiter Remission|Symptomatische Epilepsie nach Schädel-Hirn-Trauma|Gestationsdiabetes
|Hüftkopfnekrose beidseits|Zöliakie|Asthma bronchiale, allergisch|Paranoide Schizophrenie|Mitralinsuffizienz II. Grades
|Periphere arterielle Verschlusskrankheit, Stadium IIb rechts|Ulcus cruris venosum|Gicht|Schlafapnoesyndrom
|Benigne Prostatahyperplasie mit Restharnbildung|Urosepsis durch Escherichia coli|Osteoporose mit Wirbelkörpersinterung
|Steatosis hepatis|Karpaltunnelsyndrom rechts|Anpassungsstörung|Frühgeburt der 31. Schwangerschaftswoche""",
    "Vorgeschichte": """Die Einweisung erfolgte durch {TITLE} {DOCTOR} bei unklarem Gewichtsverlust von acht Kilogramm.
|{HERR} {LAST1} wurde heute früh von der Nachbarin am Boden liegend aufgefunden und war nicht erweckbar.
|Vor zwei Wochen sei erstmals eine Rötung am Unterschenkel aufgetreten, die sich rasch ausgebreitet habe.
|Im {MONTH} {YEAR} wurde in {TOWN} eine Bypassoperation durchgeführt, der Heilungsverlauf war verzögert.
|Laut Rettungsprotokoll bestand bei Eintreffen eine Sauerstoffsättigung von {n2} % unter Raumluft.
|Die Kindesmutter berichtet, dass {FIRST1} seit gestern schlecht trinke und auffallend schläfrig wirke.
|Beruflich war {HERR} {LAST1} als {JOB} in {TOWN} beschäftigt; derzeit Frühpension.
|Er lebt allein in einer Wohnung im dritten Stock ohne Aufzug, Heimhilfe kommt zweimal täglich.
|Impfstatus vollständig, keine Auslandsaufenthalte, keine Haustiere, keine bekannten Unverträglichkeiten.
|Die letzte Zyklusblutung war am {DATE}, bisher zwei Spontangeburten und ein Kaiserschnitt.
|Nikotin und Drogen werden verneint, Alkohol nur zu festlichen Anlässen.
|Der Bruder {FIRST} {LAST1} leidet an derselben Muskelerkrankung, weitere Angehörige sind nicht betroffen.
|Zuletzt Kontrolle bei {TITLE} {DOCTOR} am {DATE}; damals war der Tumorverlauf stabil.
|Der Patient klagt über Ohrensausen, Drehschwindel und Erbrechen, besonders beim Lagewechsel im Bett.
|Eine Dranginkontinenz besteht seit Jahren und wird mit Vorlagen versorgt.""",
    "Untersuchung": """Somnolent, auf Ansprache erweckbar, Glasgow Coma Scale {n2} Punkte, Nackensteife nicht prüfbar.
|Haut blass und trocken, Schleimhäute borkig belegt, Turgor vermindert, periphere Pulse tastbar.
|Herzauskultation: raues Systolikum über dem zweiten Interkostalraum mit Fortleitung in die Karotiden.
|Die Gelenke der oberen Extremität sind frei beweglich, Faustschluss beidseits kraftvoll möglich.
|Kniegelenk links: Erguss, Überwärmung, tanzende Patella, Beugung nur bis {n2} Grad möglich.
|Gynäkologischer Status: Portio glatt, Uterus anteflektiert, Adnexe beidseits unauffällig tastbar.
|Blutgasanalyse: pH 7,3{n1}, Laktat {n1},{n1} mmol/l, Kalium {n1},{n1} mmol/l, Basenabweichung negativ.
|Schädel-CT vom {DATE}: hypodenses Areal im Mediastromgebiet rechts, Mittellinie nicht verlagert.
|Liquor klar, Zellzahl {n1}/µl, Eiweiß gering erhöht, oligoklonale Banden positiv.
|Bronchoskopie: zähes Sekret im linken Hauptbronchus, Schleimhaut gerötet, Spülung für Bakteriologie gewonnen.
|Das Neugeborene wog {n3}0 g, Apgar 8/9/10, Nabelschnurarterien-pH 7,2{n1}.
|Makroskopie: graubraunes Gewebestück von {n1} cm Durchmesser, an einer Seite fadenmarkiert.
|Im Knochenmark vermehrt Blasten mit grober Körnelung, Erythropoese deutlich reduziert.
|Duplexsonographie: Verschluss der Arteria femoralis superficialis, Kollateralen über die tiefe Beinarterie.
|Gangbild kleinschrittig und unsicher, Rollator wird benutzt, Stuhlaufstehtest in {n2} Sekunden.
|Spiegelbestimmung {drug}: {n1},{n1} µg/ml, damit im therapeutischen Bereich.
|Augenhintergrund: Papille randscharf, Makula mit einzelnen Drusen, Gefäße eng gestellt.
|Kreatinin {n1},{n1} mg/dl, Harnsäure {n1},{n1} mg/dl, Lipase {n3} U/l, Procalcitonin {n1},{n1} ng/ml.""",
    "Verlauf": """Unter Flüssigkeitszufuhr und Bilanzierung normalisierten sich die Retentionswerte binnen weniger Tage.
|Am {DATE} erfolgte die Bohrlochtrepanation durch {TITLE} {DOCTOR} und {TITLE} {DOCTOR} ohne Zwischenfälle.
|Es zeigte sich ein gutes Ansprechen auf {drug}, sodass die Beatmung am Folgetag beendet werden konnte.
|Mit den Angehörigen wurde ein ausführliches Gespräch über das weitere Vorgehen und die Patientenverfügung geführt.
|Bei anhaltender Übelkeit wurde {drug} durch {drug} ersetzt, worauf sich die Beschwerden zurückbildeten.
|Das Konsil der Dermatologie ({TITLE} {DOCTOR}) empfahl fettende Salben und Kompressionsverbände.
|{HERR} {LAST1} beteiligte sich zunehmend an Gruppenangeboten und schlief ohne Bedarfsmedikation durch.
|Nach dem zweiten Chemotherapiezyklus trat eine schwere Schleimhautentzündung im Mund auf.
|Wegen Verdachts auf Lungenembolie wurde noch am {DATE} eine Angiographie veranlasst, die negativ ausfiel.
|Das Kind konnte ab dem {DATE} vollständig gestillt werden und nahm kontinuierlich an Gewicht zu.
|Der Ernährungszustand verbesserte sich durch hochkalorische Trinknahrung und Schluckübungen mit der Logopädin.
|Die Drainage förderte zunächst trübes Sekret und wurde am fünften Tag gezogen.
|Trotz maximaler Maßnahmen verstarb {HERR} {LAST1} am {DATE} um {TIME} Uhr im Beisein der Familie.
|Die Umstellung auf eine subkutane Schmerzpumpe erfolgte gemeinsam mit dem Palliativteam {TOWN}.""",
    "Beurteilung": """In Zusammenschau der Befunde handelt es sich am ehesten um eine reaktive Entzündung.
|Ein Zusammenhang zwischen Sturz und Medikamentenwechsel erscheint wahrscheinlich, ist aber nicht beweisbar.
|Die Prognose ist angesichts der Begleiterkrankungen zurückhaltend zu stellen.
|Histologisch kein Anhalt für Malignität im untersuchten Material (Eingang {DATE}, Nr. {ID}).
|Aus neurologischer Sicht besteht derzeit keine Fahrtauglichkeit.
|Der Befund wurde mit {TITLE} {DOCTOR} telefonisch besprochen ({DATE}).
|Die Pflegestufe sollte neu eingeschätzt werden, ein entsprechender Antrag liegt der Krankenkasse vor.
|Wir gehen von einer guten Heilungsaussicht aus, sofern Gewichtsentlastung eingehalten wird.""",
    "Therapievorschlag": """{drug} {n2} mg morgens und abends, Blutbildkontrolle alle drei Wochen.
|{drug} {n1} mg zur Nacht, bei Unruhe zusätzlich {drug} Tropfen.
|Fortsetzung der Krankengymnastik, Treppensteigen unter Anleitung, Kompressionsstrümpfe tagsüber.
|Verbandwechsel jeden zweiten Tag durch die Hauskrankenpflege, Nahtentfernung ab {DATE}.
|Kontrolltermin in der Schrittmacherambulanz am {DATE}, {TIME} Uhr, Anmeldung unter {PHONE}.
|Logopädie und Ergotherapie sind verordnet, ein Rollstuhl wurde beim Sanitätshaus {LAST} in {TOWN} bestellt.
|Bitte um Abnahme der Gerinnung vor Beginn der Behandlung und um Mitteilung des Ergebnisses.
|Anschlussheilbehandlung in {TOWN} ab {DATE} ist genehmigt.
|Schonkost, reichlich Flüssigkeit, kein schweres Heben für vier Wochen.""",
}
ENDS = """Mit kollegialen Grüßen¶¶{TITLE} {DOCTOR}¶Abteilungsleiter
|Für die Abteilung: {TITLE} {DOCTOR}, {TITLE} {DOCTOR}
|Freundliche Grüße aus {TOWN}¶{DOCTOR}¶Stationsärztin|{TITLE} {DOCTOR} e.h.¶Kopie an: {TITLE} {DOCTOR}, {TOWN}
|Befund freigegeben am {DATE} von {TITLE} {DOCTOR}|DGKP {DOCTOR}¶Bezugspflege, Durchwahl {PHONE}"""
MONTHS = "Jänner Februar März April Mai Juni Juli August September Oktober November Dezember"
TITLES = "Dr.|Dr. med.|OA Dr.|Prof. Dr.|PD Dr. med.|Ass.-Dr.|Prim. Dr.|Frau Dr.|Herrn Dr."
SLOT = re.compile(r"\{(\w+)\}")

J_FAMILY = """山口 松本 井上 木村 林 清水 山崎 池田 阿部 橋本 石川 山下 中島 前田 藤田 小川 岡田 後藤 村上 近藤 坂本
遠藤 青木 藤井 西村 福田 太田 三浦 岡本 松田 中野 原田 小野 竹内 金子 和田 中山 石田 上田 柴田 酒井 宮崎 横山 内田
高木 安藤 谷口 丸山 今井 工藤 大野 新井 河野 武田 杉山 千葉 村田 増田 平野 菅原 久保田 野口 岩崎 桜井 木下 佐野"""
J_GIVEN = """一郎 由美子 浩二 直樹 真由美 恵子 達也 洋子 和夫 節子 悠斗 結衣 大和 凛 湊 陽翔 芽依 健太郎 幸子 清 茂
久美子 勝 文子 隆 智子 剛 美穂 亮 千尋 すみれ はるか 麻衣 拓海 フミ ハル"""
J_TOWN = (
    "仙台市 新潟市 浜松市 岡山市 姫路市 長崎市 大分市 宇都宮市 松山市 金沢市 前橋市 甲府市 福山市 下関市 釧路市 杉並区"
)
J_HOSPITAL = """{town}民病院|{family}医院|{town}総合医療センター|{family}循環器クリニック
|国立{town}医療センター|{family}産婦人科|県立{town}中央病院|{town}赤十字病院"""
J_HEADS = """退院時要約¶氏名：{NAME}　　{AGE}　{SEX}¶入院日：{DATE}　退院日：{DATE}¶主治医：{NAME}¶患者番号：{ID}¶¶
|診療情報提供書¶{DATE}¶{HOSPITAL}　{NAME}先生御侍史¶¶患者：{NAME}殿（{DATE}生、{AGE}）¶住所：{TOWN}¶¶
|看護記録　{DATE}¶{NAME}様　{AGE}　{SEX}　担当：{NAME}¶¶
|外来カルテ¶ID：{ID}　{NAME}　{SEX}¶受診日：{DATE}　紹介元：{HOSPITAL}¶¶"""
J_LINES = """三日前から発熱と全身倦怠感があり、近医で抗菌薬を処方されたが改善しなかった。
|{DATE}に自宅の階段で転落し、{HOSPITAL}へ救急搬送された。頭部に裂創を認め、縫合処置を受けた。
|既往歴は高血圧症と脂質異常症で、内服加療を継続している。|喫煙は一日二十本を三十年間、飲酒は機会飲酒程度である。
|意識は清明で、血圧{n2}/{n1}0、脈拍{n2}回、体温は正常範囲であった。|腹部は平坦で軟、圧痛や反跳痛を認めなかった。
|下腿に圧痕性の浮腫があり、頸静脈の怒張を伴っていた。|心電図では心房細動を認め、心拍数の調整を行った。
|血液検査で炎症反応の上昇と軽度の貧血を認めた。|入院後は絶食とし、補液と抗菌薬の点滴を開始した。
|{DATE}、{NAME}医師の執刀により腹腔鏡下に胆嚢を摘出した。術後の経過は良好であった。
|食事の摂取量は七割程度で、嚥下の状態は徐々に改善している。|夜間の不眠を訴えたため、睡眠薬を少量から開始した。
|娘の{NAME}さんに病状を説明し、在宅での療養を希望された。|リハビリテーションを継続し、杖歩行が自立した。
|糖尿病に対しては食事療法と内服薬で血糖値の管理を行った。|腎機能の低下があるため、造影剤の使用は見合わせた。
|妊娠三十二週で切迫早産の診断となり、安静と子宮収縮抑制剤による治療を行った。
|小児喘息の既往があり、季節の変わり目に発作を繰り返している。|関節の腫脹と朝のこわばりが三か月以上続いている。
|{TOWN}の長女宅に同居予定であり、訪問看護の導入を調整した。|皮膚の発疹は外用薬の塗布により軽快した。
|今後は貴院での経過観察をお願い申し上げます。|内視鏡検査で胃前庭部に潰瘍を認め、生検を行った。
|電話（{PHONE}）で家族に連絡し、来院の了承を得た。|認知機能の低下がみられ、服薬の管理には家族の協力が必要である。
|次回の外来は{DATE}で、担当は{NAME}の予定である。|薬剤によるアレルギー反応は認められていない。
|創部の感染徴候はなく、抜糸後に退院となった。|右眼の視力低下を自覚し、白内障の手術を勧められた。
|尿路感染を繰り返しており、泌尿器科の{NAME}先生に相談した。|抑うつ気分が強く、精神科の診察を依頼した。"""
J_ENDS = "記載者　{NAME}|{HOSPITAL}　内科　{NAME}|以上　　{DATE}　{NAME}拝|看護師　{NAME}"


def unseen_german(n: int = LETTERS, seed: int = 0) -> Labelled:
    """`n` German letters with spans of start, end and kind."""
    return _all(_German(random.Random(f"unseen de {seed} {i}")) for i in range(n))


def unseen_japanese(n: int = LETTERS, seed: int = 0) -> Labelled:
    """`n` Japanese notes with spans of start, end and kind."""
    return _all(_Japanese(random.Random(f"unseen ja {seed} {i}")) for i in range(n))


def _all(notes) -> Labelled:
    notes = list(notes)
    return Labelled([note.text for note in notes], [note.spans for note in notes])


def _of(block: str) -> list[str]:
    if "|" not in block:
        return block.split()
    return [
        " ".join(one.split("\n")).replace(" ¶", "¶").replace("¶ ", "¶").replace("¶", "\n").strip(" ")
        for one in block.split("|")
    ]


class _Note:
    """A note as it is written, with what is private in it: every slot in capitals but HERR."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.text, self.spans = rng, "", []
        self.compose()

    def compose(self) -> None:
        """Write it."""

    def values(self, slot: str) -> str:
        """What stands for a slot."""
        raise KeyError(slot)

    def pick(self, block: str) -> str:
        return self.rng.choice(_of(block))

    def say(self, template: str) -> None:
        at = 0
        for slot in SLOT.finditer(template):
            self.text += template[at : slot.start()]
            at, name = slot.end(), slot.group(1)
            value = self.values(name)
            if name.isupper() and name != "HERR":
                self.spans.append([len(self.text), len(self.text) + len(value), name])
            self.text += value
        self.text += template[at:]


class _German(_Note):
    def compose(self) -> None:
        rng = self.rng
        self.last, self.first = self.pick(LAST), self.pick(FIRST)
        self.born, self.herr = rng.randint(1930, 2015), rng.choice(("Herr", "Frau"))
        self.say(self.pick(HEADS))
        for topic in TOPICS:
            between = "\n" if topic in ("Diagnosen", "Therapievorschlag") else rng.choice((" ", "\n"))
            some = _of(LINES[topic])
            drawn = rng.sample(some, min(len(some), rng.randint(2, 5) + 2 * (topic in ("Untersuchung", "Verlauf"))))
            self.say(rng.choice((topic, f"{topic}:", topic.upper())) + "\n" + between.join(drawn) + "\n\n")
        self.say(self.pick(ENDS) + "\n")

    def values(self, slot: str) -> str:
        rng, r, pick = self.rng, self.rng.randint, self.pick
        day, month, year = r(1, 28), r(1, 12), r(2009, 2023)
        made = {
            "HERR": lambda: self.herr, "LAST1": lambda: self.last, "FIRST1": lambda: self.first,
            "LAST": lambda: pick(LAST), "FIRST": lambda: pick(FIRST), "TOWN": lambda: pick(TOWN),
            "DOCTOR": lambda: self.rng.choice((pick(LAST), f"{pick(FIRST)} {pick(LAST)}")),
            "TITLE": lambda: pick(TITLES), "JOB": lambda: pick(JOB), "ZIP": lambda: str(r(1020, 99000)),
            "HOSPITAL": lambda: pick(HOSPITAL).format(town=pick(TOWN)), "YEAR": lambda: str(year),
            "MONTH": lambda: pick(MONTHS), "TIME": lambda: f"{r(6, 22):02d}:{r(0, 59):02d}",
            "AGE": lambda: f"{2023 - self.born} Jahre", "WARD": lambda: self.rng.choice(("B2", "12", "Nord 3", "C 04")),
            "STREET": lambda: f"{pick(STREET)} {r(1, 120)}", "ID": lambda: str(r(10**5, 10**9)),
            "PHONE": lambda: f"0{r(300, 9999)}/{r(1000, 999999)}",
            "DATE": lambda: rng.choice((f"{day}.{month}.{year}", f"{day:02d}.{month:02d}.{year % 100:02d}",
                                        f"{day}. {_of(MONTHS)[month - 1]} {year}", f"{day:02d}.{month:02d}.{year}")),
            "dept": lambda: pick(DEPT), "drug": lambda: pick(DRUG), "n1": lambda: str(r(1, 9)),
            "n2": lambda: str(r(20, 98)), "n3": lambda: str(r(110, 390)),
        }  # fmt: skip
        return made[slot]()


class _Japanese(_Note):
    def compose(self) -> None:
        self.say(self.pick(J_HEADS))
        for _ in range(self.rng.randint(1, 3)):
            self.say("".join(self.rng.sample(_of(J_LINES), self.rng.randint(3, 7))) + "\n\n")
        self.say(self.pick(J_ENDS) + "\n")

    def values(self, slot: str) -> str:
        rng, r, pick = self.rng, self.rng.randint, self.pick
        day, month, year = r(1, 28), r(1, 12), r(2009, 2023)
        made = {
            "NAME": lambda: pick(J_FAMILY) + self.rng.choice(("", "", "　")) + self.rng.choice((pick(J_GIVEN), "")),
            "TOWN": lambda: pick(J_TOWN), "AGE": lambda: f"{r(1, 96)}歳", "SEX": lambda: pick("男性 女性"),
            "HOSPITAL": lambda: pick(J_HOSPITAL).format(town=pick(J_TOWN).rstrip("市区"), family=pick(J_FAMILY)),
            "ID": lambda: str(r(10**5, 10**8)), "PHONE": lambda: f"0{r(3, 99)}-{r(1000, 9999)}-{r(1000, 9999)}",
            "DATE": lambda: rng.choice((f"{year}年{month}月{day}日", f"令和{max(1, year - 2018)}年{month}月{day}日",
                                        f"{year}/{month}/{day}")),
            "n1": lambda: str(r(5, 9)), "n2": lambda: str(r(60, 160)),
        }  # fmt: skip
        return made[slot]().strip("　")
