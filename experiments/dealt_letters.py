"""German and Japanese letters of a third hand, all invented, in which no sentence stands twice.

The other invented letters draw from a stock of sentences, so people share them and a tagger meets them again. A real
collection is not like that: here every paragraph is dealt to one letter only, and a tagger meets each for the first
time. Written before any rule was changed in answer to it; no text here is a real hospital's.
"""

from __future__ import annotations

import random

from experiments.s002_text import Labelled
from experiments.unseen_letters import J_LINES as J_OTHER_LINES
from experiments.unseen_letters import LINES as OTHER_LINES
from experiments.unseen_letters import TOPICS, _all, _German, _Japanese, _of

LAST = """Abendroth Brunnhuber Czerny Dornbusch Eiselt Fürholzer Gstöttner Hufnagl Irrgang Jakubowicz Kerschbaumsteiner
Leutgeb Mühlegger Nestroy Ölschläger Prohaska Quirchmair Reitbauer Sonnleithner Thurnherr Unterweger Vranitz Wohlgenannt
Zeilinger Bauer Fischer Weber Wagner Becker Schäfer Hahn Sauer Hase Reich Blum Öztürk Nguyen Kovács Novotny Ivanović
Da_Silva Steinbrecher Kleinschmidt Pfeffer Rittmeister Krautgartner Spielvogel Mitterlehner"""
FIRST = """Adelheid Bruno Christa Dominik Erna Fritz Gertrude Hermine Isolde Johann Klaus Lieselotte Manfred Notburga
Otto
Philomena Quirin Renate Stefan Traude Ursula Valentin Waltraud Xaver Zita Leyla Ivan Chiara Finn Mathilda"""
TOWN = """Bruck an der
Mur|Judenburg|Eisenstadt|Fulda|Göttingen|Hartberg|Ilmenau|Kapfenberg|Lüneburg|Mürzzuschlag|Neusiedl
|Oldenburg|Pirna|Radstadt|Spittal|Tamsweg|Uelzen|Völkermarkt|Weiz|Zell am See|Knittelfeld|Bamberg"""
STREET = """Grabenstraße|Hoher Weg|Sackgasse|Heinrichstr.|Zur Linde|Auenweg|Lange Reihe|Peter-Rosegger-Gasse|Marktplatz
|Sonnhang|Am Bahndamm|Kastanienallee"""
HOSPITAL = """LKH {town}|Marienkrankenhaus {town}|Klinik {town}|Bezirkskrankenhaus {town}|Diakonissen-Krankenhaus {town}
|Sanatorium Sonnhof|Krankenanstalt {town}|Uniklinik {town}|Therapiezentrum {town}|Herzzentrum {town}"""
JOB = """Zugbegleiterin|Glasermeister|Chemielaborant|Kassiererin|Volksschullehrer|Forstarbeiter|Hebamme|Musikstudent
|Schneiderin|Filialleiter|LKW-Fahrer|Reinigungskraft|Notar|Bäckergeselle"""
DRUG = """Clopidogrel Ceftriaxon Diclofenac Haloperidol Nebivolol Olanzapin Paracetamol Rosuvastatin Sertralin Tramadol
Verapamil Zolpidem Dexamethason Fluconazol Gabapentin Hydrochlorothiazid Lactulose Meropenem Naloxon Oxycodon"""
HEADS = """{TITLE} {DOCTOR}¶Facharzt für Allgemeinmedizin¶{STREET}, {ZIP} {TOWN}¶¶{TOWN}, am {DATE}¶¶Sehr geschätzte
Kolleginnen und Kollegen!¶
|Patient: {LAST1} {FIRST1} / {DATE}¶Aufnahme: {DATE} / Entlassung: {DATE}¶Abt. {dept}, Stat. {WARD}¶
|Liebe Frau Kollegin {LAST},¶¶über unsere gemeinsame Patientin {FIRST1} {LAST1} (geb. {DATE}) möchte ich kurz
berichten.¶
|{HOSPITAL} · {dept}¶Vorläufiger Arztbrief¶¶betrifft: {HERR} {LAST1} {FIRST1}, {AGE}, Aktenzahl {ID}¶
|Konsiliarbefund {dept}¶erbeten von {TITLE} {DOCTOR}, {HOSPITAL}¶für {LAST1} {FIRST1}, {DATE}¶
|Sg. {HERR} {TITLE} {LAST}!¶¶Danke für die Zuweisung von {FIRST1} {LAST1}, *{DATE}, {STREET}, {ZIP} {TOWN}.¶
|Dekurs {DATE}, {TIME}¶{LAST1}, {AGE}, Zimmer {WARD}¶"""
LINES = """Beim Holzhacken rutschte {HERR} {LAST1} die Axt aus und traf den Vorfuß. Der Großvater {FIRST} verband die
Wunde
notdürftig und fuhr ihn ins Spital nach {TOWN}.
|Seit der Pensionierung als {JOB} zieht sich {HERR} {LAST1} zurück, grübelt viel und vernachlässigt den Garten. Die
Tochter
{FIRST} drängte auf eine Abklärung.
|Der Säugling erbrach nach jeder Mahlzeit im Schwall. Sonographisch war der Pylorus verdickt, weshalb {TITLE} {DOCTOR}
die
operative Spaltung des Muskels vornahm.
|Nach dem Genuss selbst gesammelter Pilze kam es zu wässrigen Durchfällen; die Vergiftungszentrale in {TOWN} riet zur
Überwachung der Leberfunktion.
|Die Zahnprothese sitzt locker, das Zahnfleisch blutet bei Berührung. Ein Termin bei {TITLE} {LAST} wurde für {DATE}
vereinbart.
|{FIRST1} besucht den Kindergarten in {TOWN} und spricht Zweiwortsätze. Das Gehör ist nach Paukenröhrchen seitengleich.
|Während einer Bergtour am {DATE} traten Kopfschmerz, Übelkeit und Gangunsicherheit auf. Der Abstieg mit Bergrettern
brachte
rasche Linderung.
|Der Schneidezahn wurde replantiert und geschient. Die Unterlippe musste mit fünf Einzelknopfnähten versorgt werden.
|Auffällig ist ein grobschlägiger Ruhetremor der linken Hand, der beim Rechnen zunimmt. Das Schriftbild wird gegen
Zeilenende
kleiner.
|{HERR} {LAST1} gibt an, Stimmen zu hören, die ihr Tun kommentieren. Ein Nachbar namens {LAST} verfolge sie mit
Strahlen.
|Die Fistel sezerniert trüb. Kontrastmittel füllt einen Gang von {n1} cm Länge bis zum Schließmuskel, ohne ihn zu
durchqueren.
|Gegen {TIME} Uhr entband {HERR} {LAST1} spontan aus vorderer Hinterhauptslage ein lebensfrisches Mädchen. Der Damm
blieb intakt.
|Eine Wespe stach den Gärtner in den Hals; binnen Minuten schwoll die Zunge an. {TITLE} {LAST} vom Notarzthubschrauber
gab
Adrenalin.
|Das Hörgerät pfeift, der Gehörgang ist durch Cerumen verlegt. Nach Spülung kann {HERR} {LAST1} wieder
Zimmerlautstärke verstehen.
|Die Katze des Sohnes hatte sie in den Daumen gebissen. Das Grundgelenk war heiß und geschwollen, Eiter entleerte sich
bei Druck.
|Im Langzeit-EKG des Kollegen {LAST} ({TOWN}) fanden sich Pausen bis {n1} Sekunden, sodass wir zur Implantation raten.
|Seit der Scheidung im {MONTH} {YEAR} trinkt er täglich eine Flasche Wodka. Der Führerschein wurde entzogen, die
Arbeitsstelle als
{JOB} ist gefährdet.
|Am Schenkelhals zeigt sich eine unverschobene Bruchlinie. Angesichts der Bettlägerigkeit verzichten wir im
Einvernehmen mit
{TITLE} {DOCTOR} auf die Verschraubung.
|Das Muttermal am Schulterblatt hat seine Farbe verändert und juckt. Es misst {n1} mm, ist unscharf begrenzt und
blutet leicht.
|{FIRST} {LAST1}, die Ehefrau, schildert Atemaussetzer im Schlaf. Tagsüber nickt er am Steuer des Gabelstaplers ein.
|Die Gallengangssteine ließen sich mit dem Körbchen bergen. Zwei Stents wurden eingelegt, deren Wechsel {TITLE} {LAST}
im {MONTH}
vornimmt.
|In der Hochzeitsnacht erlitt er einen Krampfanfall mit Zungenbiss. Die Neurologen in {TOWN} stellten auf {drug} um.
|Der Fingernagel ist gespalten, darunter wächst ein glasiger Knoten. {HERR} {LAST1} arbeitet als {JOB} und wünscht die
Entfernung erst nach der Saison.
|Bei der Hausstaubmilbe war die Quaddel am größten, auf Birke und Hasel reagierte {FIRST1} kaum. Matratzenüberzüge
sind bestellt.
|Nach Angaben von {FIRST} {LAST} (Lebensgefährte) wurde die Wohnung in der {STREET} seit Wochen nicht gelüftet.
Verwesungsgeruch
führte zur Verständigung der Feuerwehr.
|Der Katheter lässt sich nicht mehr anspülen. Über einen Draht gelang der Austausch gegen ein dünneres Modell.
|Die Großmutter mütterlicherseits starb an Brustkrebs, eine Tante in {TOWN} an Eierstockkrebs. Eine genetische
Beratung wurde
angeboten.
|Auf dem linken Auge erkennt sie nur Handbewegungen. Die Netzhaut ist abgehoben, das Loch liegt bei elf Uhr.
|Laut {TITLE} {DOCTOR} von der Rheumaambulanz in {TOWN} ist {drug} trotz Haarausfalls fortzuführen. Nüchtern klagt sie
über
Mundtrockenheit.
|Der Fernfahrer aus {TOWN} hat seit Tagen Wadenschmerzen. Die Kompression der Kniekehlenvene gelingt nicht vollständig.
|Vor der Narkose fiel ein wackelnder Milchzahn auf, der entfernt und den Eltern {LAST1} übergeben wurde.
|{HERR} {LAST1} hat die Schlinge eigenständig abgelegt und bereits wieder Akkordeon gespielt. Die Narbe ist reizlos.
|Das Screening auf Tuberkulose fiel positiv aus. Die Meldung an die Gesundheitsbehörde in {TOWN} erging am {DATE}.
|Im Sandkasten verschluckte {FIRST1} eine Knopfbatterie. Sie lag auf Höhe der zweiten Speiseröhrenenge und wurde
endoskopisch
geborgen.
|Die Stimme ist seit der Schilddrüsenoperation bei {TITLE} {LAST} heiser; rechts steht das Stimmband still.
|Nach dem Umzug von {TOWN} nach {TOWN} fehlen Vorbefunde. Wir haben sie bei {TITLE} {LAST}, {STREET}, angefordert.
|Erstmals blieb der Nachttisch leer: {HERR} {LAST1} verweigert Essen und Trinken und möchte sterben. Die Ethikberatung
tagte am
{DATE}.
|Der Stumpf ist gut gepolstert, Phantomschmerzen treten vor allem abends auf. Spiegeltherapie wurde mit {FIRST} {LAST}
(Ergotherapie) begonnen.
|Die Hündin begleitet ihn auch ins Krankenhaus. Sein Blutzucker schwankt stark, seit er Nachtschichten als {JOB}
übernimmt.
|Ein Gerinnsel im Vorhofohr konnte nicht ausgeschlossen werden. Auf die Kardioversion wurde verzichtet, {drug}
verdoppelt.
|Zur Taufe der Enkelin {FIRST} am {DATE} möchte {HERR} {LAST1} unbedingt heim. Die Sauerstoffflasche liefert das
Sanitätshaus {LAST}.
|Das Pflaster wechselt die Gemeindeschwester {FIRST}. Geruch und Nekrosen sind zurückgegangen, am Wundrand sprießt
Epithel.
|Eine Stichverletzung unterhalb des Rippenbogens verfehlte die Milz knapp. Täter war nach Aussage des Opfers der
Schwager {FIRST}.
|In der Schwangerenvorsorge von {TITLE} {DOCTOR} fiel Eiweiß im Harn auf. Die Knöchel sind teigig, der Druck lag bei
{n3}/{n2}.
|Der Mathematikunterricht überfordert {FIRST1}; in Werken glänzt er. Ein Aufmerksamkeitstest an der Schule in {TOWN}
steht aus.
|Beim Öffnen einer Konservendose durchtrennte er die Beugesehne des Zeigefingers. {TITLE} {LAST} nähte sie in Blutleere.
|Die Lymphknoten in der Leiste sind verbacken und derb. Der Einsendeschein an die Pathologie {TOWN} trägt die Nummer
{ID}.
|Über den Dolmetscher {LAST} war zu erfahren, dass {HERR} {LAST1} in der Heimat gefoltert wurde. Er schreckt bei
Sirenen auf.
|Ein Ohrring war eingewachsen; der Knorpel ist verformt. Der Eingriff in örtlicher Betäubung dauerte {n2} Minuten.
|Nach dem Tauchgang im Urlaub auf Malta spürte sie die Beine nicht mehr. Die Druckkammer in {TOWN} nahm sie um {TIME}
Uhr auf.
|Das Enkelkind brachte Läuse mit. Frau {LAST} vom mobilen Dienst hat den Kamm besorgt und die Wäsche ausgekocht.
|Bei Nebel prallte der Traktor gegen einen Mast. {HERR} {LAST1}, Altbauer in {TOWN}, war eingeklemmt und unterkühlt.
|Sie singt im Kirchenchor und bemerkte dort zuerst die Atemnot. Über der Lunge pfeift und brummt es beidseits.
|Die Bisswunde am Unterarm stammt vom Mitbewohner {FIRST} {LAST}. Tetanusschutz wurde aufgefrischt, Anzeige erstattet.
|Das Rezept für {drug} hat Apothekerin {LAST} aus {TOWN} hinterfragt. Tatsächlich war die Dosis verwechselt worden.
|Im Gespräch wirkt {FIRST1} {LAST1} ratlos, sucht nach Worten und verlegt die Brille. Die Uhr zeichnet er ohne Zeiger.
|Der Hoden liegt quer und ist druckdolent. Wegen der fünfstündigen Anamnese wurde ohne weitere Bilder freigelegt.
|{HERR} {LAST1} (Tel. {PHONE}) erkundigt sich, ob sie mit dem frischen Gips fliegen dürfe. Bruder {FIRST} holt sie ab.
|Auf der Isolierstation durften nur die Eltern {FIRST} und {FIRST} {LAST1} zu ihm. Er malte viel und fürchtete die
Punktion.
|Der Handwerker stürzte vom Gerüst in der {STREET} auf einen Schutthaufen. Polizeiinspektor {LAST} hat den Hergang
erhoben.
|Das Implantat mit der Seriennummer {ID} wurde zurückgerufen. Herr Primar {LAST} entscheidet kommende Woche über den
Ausbau.
|Sein Zwillingsbruder hat dieselbe Blutgruppe und käme als Spender in Betracht. Die Kommission in {TOWN} prüft den
Antrag.
|Lichtscheu und Augentränen hielten drei Wochen an. Der Hornhautabstrich ergab Akanthamöben, vermutlich vom
Kontaktlinsenbehälter."""
ENDS = """MfG {DOCTOR}|Herzlichst, Ihr {FIRST} {LAST}|{TITLE} {DOCTOR} (Turnusarzt)|f.d.R. {LAST}
|{TITLE} {DOCTOR}, {dept}, {HOSPITAL}|Ihre {TITLE} {LAST}|vidiert {DATE} {TITLE} {DOCTOR}"""

J_FAMILY = """秋山 石井 宇野 江口 大塚 片山 菊地 栗原 黒田 小泉 佐久間 塩谷 須藤 高見沢 田村 辻 富樫 永井 西尾 長谷部
花田 平田 深沢
堀江 真田 水野 向井 森本 矢島 吉岡 鷲尾 伊集院 綾小路 桂 梅 林田"""
J_GIVEN = """勇 和也 京子 絵里 美代子 俊介 大地 咲 翼 碧 楓 源太 ヨシ子 リサ つばさ 康弘 春樹 夏美 冬馬 誠"""
J_TOWN = """盛岡市 秋田市 つくば市 柏市 立川市 小田原市 沼津市 津市 奈良市 和歌山市 鳥取市 徳島市 佐賀市 都城市 那覇市
港区 北区"""
J_HOSPITAL = """{town}中央総合病院|{family}整形外科|{town}大学附属病院|医療法人{family}会|{town}記念病院
|{family}放射線科クリニック"""
J_HEADS = """読影レポート　{DATE}¶患者名　{NAME}（{AGE}・{SEX}）　検査番号 {ID}¶依頼：{HOSPITAL}　{NAME}医師¶¶
|{HOSPITAL}¶画像診断報告書¶{NAME}殿　{SEX}　{DATE}生¶検査施行日　{DATE}¶¶
|救急外来記録　{DATE}¶{AGE}{SEX}、{NAME}氏。{TOWN}在住。¶¶
|{NAME}先生　机下¶{NAME}さん（{AGE}）の件でご報告いたします。¶¶"""
J_LINES = """左腎上極に境界明瞭な低吸収域があり、単純性嚢胞と考えます。前回{DATE}と比べて大きさに変わりはありません。
|自転車で走行中に乗用車と接触し、右肩から落ちた。鎖骨の遠位端に転位を伴う骨折がある。
|網膜に点状出血が散在し、レーザー治療の適応と判断した。執刀は{NAME}が担当する。
|膵尾部の輪郭がやや膨らんで見えますが、呼吸性移動の影響かもしれません。超音波での再検をお勧めします。
|母親の{NAME}さんによれば、昨夜から犬が吠えるような咳をしているという。吸気時に喘鳴を聴取する。
|上顎洞に液面形成あり。鼻中隔は左へ弯曲し、下鼻甲介の粘膜が肥厚しています。
|蜂に刺された直後から全身に蕁麻疹が広がり、{TOWN}消防の救急車で搬入された。アドレナリンの筋注で回復した。
|椎間板の後方突出が第四・第五腰椎間にみられ、硬膜嚢を軽く圧排しています。黄色靱帯の肥厚も加わっています。
|独居で、隣人の{NAME}さんが新聞のたまりに気づいて通報した。室温は三十五度を超えていた。
|乳房の外側上部に集簇する石灰化を認め、カテゴリー4とします。{HOSPITAL}での吸引式生検を予定してください。
|つわりが強く、水分も受けつけない。尿中ケトン体が陽性のため入院とした。
|肝右葉の腫瘤は早期に濃染し、遅れて洗い出されます。{NAME}医師より塞栓術の相談がありました。
|書字の際に指がこわばると訴える。元は{TOWN}の中学校で書道を教えていた。
|胸腺の大きさは年齢相応です。縦隔に有意なリンパ節の腫れはありません。
|足の親指の付け根が赤く腫れ、歩くのもつらい。昨晩は宴会でビールを多量に飲んだとのこと。
|人工股関節のゆるみを示す透亮像が広がっています。{DATE}の術後写真（{HOSPITAL}撮影）と比較しました。
|給食の後に運動して倒れた。小麦による誘発を疑い、{NAME}先生の外来で負荷試験を組んだ。
|松果体に小さな嚢胞が偶然見つかりましたが、水頭症はなく経過観察で十分です。
|義歯を誤って飲み込み、咽頭に引っかかっていた。喉頭鏡で観察しながら鉗子で取り出した。
|副腎の結節は脂肪を含み、腺腫として矛盾しません。内分泌の検査値をご確認ください。
|夫の{NAME}さんは認知症があり、介護を担う本人の入院は難しいという。地域の相談窓口（{PHONE}）を案内した。
|半月板の後節に水平方向の断裂線が走っています。関節液は少量です。
|黄疸に気づいたのは{DATE}の朝で、灰白色の便が出ていた。胆管の狭窄に対し金属の筒を留置した。
|小脳虫部の萎縮が目立ち、歩行のふらつきを説明しうる所見です。飲酒歴の聴取をお願いします。
|やけどの範囲は背中と両腕に及ぶ。{HOSPITAL}の専門病棟に転送し、植皮に備えた。
|頸動脈の分岐部に潰瘍を伴う粥腫があり、内腔は半分ほどに狭まっています。
|海外出張から戻って三日目に高熱を出した。血液塗抹でマラリア原虫を確認し、{TOWN}の保健所に届け出た。
|子宮筋腫は変性して内部が不均一です。造影されない部分が増えました。
|字が二重に見えると言って眼科を訪れた。まぶたは夕方になると下がり、休むと戻る。
|気管支の壁が厚く、末梢に粘液の詰まりが並んでいます。{NAME}医師が過去に指摘した影は消えました。
|透析の針を刺す部位が硬く盛り上がっている。血管外科の{NAME}に作り直しを依頼した。
|虫垂は根元で太く、周囲の脂肪が毛羽立っています。糞石とみられる高吸収もあります。
|薪割りの最中に破片が目に入った。角膜に刺さった鉄粉を除去し、点眼を処方した。
|大動脈瘤の最大径は{n2}mmとなり、半年で急に拡大しています。至急{NAME}先生へ連絡済みです。
|おむつかぶれが長引き、白い苔のような付着物を伴う。真菌の塗り薬に切り替えた。
|踵骨の骨梁に沿った線状の陰影は疲労骨折を疑わせます。陸上部の練習を控えるよう伝えてください。
|遺言の件で弁護士の{NAME}氏が面会に来られた。意思の疎通は筆談で可能である。
|顎下腺の管の中に石が二つ並び、食事のたびに腫れる原因と思われます。
|窓から飛び降りようとしたところを弟の{NAME}に止められた。希死念慮が続き、医療保護の手続きを取った。
|頭蓋骨の板間層に多発する打ち抜き像があります。血清の蛋白分画をお調べください。"""
J_ENDS = "読影医　{NAME}|報告：{NAME}／確認：{NAME}|{DATE}　{NAME}|文責　{HOSPITAL}　{NAME}"


def dealt_german(seed: int = 0) -> Labelled:
    """A letter for every paragraph, with lines of another hand; each stands in this letter only."""
    rng = random.Random(f"dealt de {seed}")
    own, others = _of(LINES), [line for topic in TOPICS for line in _of(OTHER_LINES[topic])]
    rng.shuffle(own)
    rng.shuffle(others)
    return _all(
        _DealtGerman(random.Random(f"dealt de {seed} {i}"), [paragraph, *others[i :: len(own)]])
        for i, paragraph in enumerate(own)
    )


def dealt_japanese(seed: int = 0) -> Labelled:
    """A note for every paragraph, with a line of another hand; each stands in this note only."""
    rng = random.Random(f"dealt ja {seed}")
    own, others = _of(J_LINES), _of(J_OTHER_LINES)
    rng.shuffle(own)
    rng.shuffle(others)
    return _all(
        _DealtJapanese(random.Random(f"dealt ja {seed} {i}"), [paragraph, *others[i :: len(own)]])
        for i, paragraph in enumerate(own)
    )


class _DealtGerman(_German):
    def __init__(self, rng: random.Random, lines: list[str]) -> None:
        self.lines = lines
        super().__init__(rng)

    def compose(self) -> None:
        self.last, self.first = self.values("LAST"), self.pick(FIRST)
        self.born, self.herr = self.rng.randint(1930, 2015), self.rng.choice(("Herr", "Frau"))
        self.say("\n".join((self.pick(HEADS), *self.lines, self.pick(ENDS), "")))

    def values(self, slot: str) -> str:
        made = {
            "LAST": lambda: self.pick(LAST).replace("_", " "),
            "FIRST": lambda: self.pick(FIRST),
            "TOWN": lambda: self.pick(TOWN),
            "STREET": lambda: f"{self.pick(STREET)} {self.rng.randint(1, 99)}",
            "HOSPITAL": lambda: self.pick(HOSPITAL).format(town=self.pick(TOWN)),
            "JOB": lambda: self.pick(JOB),
            "DOCTOR": lambda: self.rng.choice(("", f"{self.pick(FIRST)} ")) + self.values("LAST"),
            "drug": lambda: self.pick(DRUG),
        }
        return made[slot]() if slot in made else super().values(slot)


class _DealtJapanese(_Japanese):
    def __init__(self, rng: random.Random, lines: list[str]) -> None:
        self.lines = lines
        super().__init__(rng)

    def compose(self) -> None:
        self.say(self.pick(J_HEADS) + "".join(self.lines) + "\n\n" + self.pick(J_ENDS) + "\n")

    def values(self, slot: str) -> str:
        family, given = self.pick(J_FAMILY), self.pick(J_GIVEN)
        town = self.pick(J_TOWN)
        made = {
            "NAME": family + self.rng.choice(("", "", "　")) + self.rng.choice((given, "")),
            "TOWN": town,
            "HOSPITAL": self.pick(J_HOSPITAL).format(town=town.rstrip("市区"), family=family),
        }
        return made[slot].strip("　") if slot in made else super().values(slot)
