"""Japanese radiology reports, all invented: a stand-in for a hospital's reports, and what is private in them.

Beside the sentences of the Japanese Wikipedia, which are no notes: 25 of those hold less text than one letter.
"""

from __future__ import annotations

import random
import re

from experiments.s002_text import Labelled

REPORTS = 60
FAMILY = """佐藤 鈴木 高橋 田中 渡辺 伊藤 長谷川 五十嵐 勅使河原 小鳥遊 有働 目黒 関 森 東 泉 南雲 北条 春日 星野 月岡
風間 海老原 石動 喜多村 安孫子 東海林 服部 錦織 生田目"""
GIVEN = """太郎 花子 健一 美咲 翔太 さくら 陽菜 大輔 静江 正 明 実 光 ひかり 恵 昭二 千代 蓮 葵
鉄平 キヌ トメ ゆかり 徳次郎"""
KANA = "サトウ スズキ タカハシ タナカ ハセガワ イガラシ モリ イズミ ナグモ ホウジョウ カザマ エビハラ アビコ ハットリ"
TOWN = """横浜市 川崎市 札幌市 世田谷区 豊中市 久留米市 八戸市 那須塩原市 鎌倉市 一宮市 高松市 別府市 三浦市 緑区"""
HOSPITAL = """{town}立総合病院|{family}内科クリニック|{town}中央病院|聖{family}会病院|{town}医療センター
|{family}記念病院|独立行政法人{town}病院|{family}整形外科|東都大学医学部附属病院|みどり台診療所"""
EXAM = "胸部単純CT|胸腹部造影CT|頭部MRI|腹部超音波検査|骨盤部MRI|胸部X線写真|PET-CT|冠動脈CT|腰椎MRI"
REASON = """咳嗽が持続し、{DATE}に{HOSPITAL}を受診。肺炎の疑いにて精査依頼。|肝機能異常の精査目的。{AGE}、{SEX}。
|{AGE}{SEX}。健診で異常陰影を指摘され、{HOSPITAL}の{NAME}医師より紹介。|術後経過観察。{DATE}に右下葉切除を施行。
|頭痛、ふらつきを主訴に救急搬送された。脳梗塞の有無についてご評価ください。|腰痛および左下肢のしびれ。ヘルニア疑い。
|{NAME}様、{AGE}。前立腺癌の治療効果判定をお願いします。|心窩部痛。胆石の既往があり{YEAR}に手術。
|{TOWN}在住、{AGE}の{SEX}。転倒後より股関節痛が持続している。|糖尿病で通院中。体重減少があり膵病変の検索を希望。"""
FINDING = """右肺上葉に長径{n}mm大の結節影を認め、辺縁は不整で胸膜陥入を伴っています。
|両側肺野に明らかな浸潤影は認めません。胸水貯留なし。|縦隔および肺門部に有意なリンパ節腫大を認めません。
|肝右葉に{n}mm大の低吸収域があり、嚢胞と考えます。|胆嚢内に結石を認めますが、壁肥厚や周囲脂肪織濃度の上昇はありません。
|左腎に小さな結石を認めます。水腎症は認めません。|前回({DATE})と比較して、腫瘤の大きさに著変ありません。
|脳実質に急性期梗塞を示唆する拡散制限は認められません。|大脳白質に加齢性と思われる高信号が散在しています。
|第4/5腰椎間で椎間板が左後方へ突出し、神経根を圧排しています。|膵頭部に主膵管の拡張を認め、精査が望まれます。
|冠動脈に高度の石灰化を認め、狭窄の評価は困難です。|骨条件では転移を疑う溶骨性変化は指摘できません。
|甲状腺左葉に石灰化を伴う結節を認めます。|前立腺は軽度腫大し、移行域に結節状の変化があります。
|{DATE}の前回検査では認められなかったすりガラス影が出現しています。|子宮筋層内に境界明瞭な腫瘤を認め、筋腫と考えます。
|撮像範囲内に腹水は認めません。脾臓の大きさは正常範囲内です。|副鼻腔に粘膜肥厚があり、慢性副鼻腔炎を疑います。"""
IMPRESSION = """肺癌を疑います。気管支鏡による組織診断をご検討ください。|明らかな急性期病変は指摘できません。
|肝嚢胞、胆石症。|前回と著変なし。半年後の経過観察をお願いします。|腰椎椎間板ヘルニア。|炎症性変化を第一に考えます。
|膵管拡張については内視鏡的精査をお勧めします。|転移を疑う所見は認めません。|多発脳転移の可能性があります。"""
SIGNED = (
    """読影医：{NAME}|報告者：{NAME}　承認者：{NAME}|放射線科　{NAME}（{DATE}）|読影：{NAME}医師、確認：{NAME}医師"""
)
HEAD = """患者氏名：{NAME}（{KANA}）\n患者ID：{ID}\n生年月日：{DATE}\n性別：{SEX}\n検査日：{DATE}\n依頼医：{NAME}
検査：{exam}|【患者】{NAME}　{AGE}　{SEX}　ID {ID}\n【検査日】{DATE}\n【依頼元】{HOSPITAL}\n【検査項目】{exam}
|{HOSPITAL}　放射線科\n氏名 {NAME} 様　{DATE}生　{SEX}\n住所 {TOWN}緑町{n}-3\n電話 {PHONE}\n{exam}（{DATE}撮影）"""
SLOT = re.compile(r"\{(\w+)\}")


def japanese_reports(n: int = REPORTS, seed: int = 0) -> Labelled:
    """`n` reports with spans of start, end and kind; the patient's name is marked wherever it stands."""
    written = [_report(random.Random(f"{seed} {i}")) for i in range(n)]
    return Labelled([text for text, _ in written], [spans for _, spans in written])


def _of(block: str) -> list[str]:
    return [choice.strip() for choice in block.split("|")] if "|" in block else block.split()


def _report(rng: random.Random) -> tuple[str, list]:
    def some(block: str, low: int, high: int) -> str:
        return "".join(rng.sample(_of(block), rng.randint(low, high)))

    template = (
        f"{rng.choice(_of(HEAD))}\n\n{rng.choice(('臨床情報：', '【依頼目的】', '検査目的：'))}{some(REASON, 1, 2)}\n\n"
        f"{rng.choice(('所見：', '【所見】', '[所見]'))}\n{some(FINDING, 4, 8)}\n\n"
        f"{rng.choice(('診断：', '【診断】', 'impression：'))}\n{some(IMPRESSION, 1, 3)}\n\n{rng.choice(_of(SIGNED))}\n"
    )
    text, spans, at = "", [], 0
    for slot in SLOT.finditer(template):
        text += template[at : slot.start()]
        at = slot.end()
        value = _value(slot.group(1), rng)
        if slot.group(1).isupper():
            spans.append([len(text), len(text) + len(value), slot.group(1)])
        text += value
    return text + template[at:], spans


def _value(slot: str, rng: random.Random) -> str:
    def pick(block: str) -> str:
        return rng.choice(_of(block))

    year, month, day = rng.randint(1932, 2023), rng.randint(1, 12), rng.randint(1, 28)
    old = year < 1989
    era = f"{'昭和' if old else '令和'}{year - 1925 if old else max(1, year - 2018)}年{month}月{day}日"
    dates = (f"{year}年{month}月{day}日", f"{year}/{month:02d}/{day:02d}", f"{year}-{month:02d}-{day:02d}", era,
             f"{year}.{month}.{day}")  # fmt: skip
    made = {
        "NAME": lambda: pick(FAMILY) + rng.choice(("", " ", "　")) + pick(GIVEN),
        "KANA": lambda: pick(KANA),
        "TOWN": lambda: pick(TOWN),
        "HOSPITAL": lambda: pick(HOSPITAL).format(town=pick(TOWN).rstrip("市区"), family=pick(FAMILY)),
        "ID": lambda: str(rng.randint(10**5, 10**8)),
        "PHONE": lambda: f"0{rng.randint(3, 99)}-{rng.randint(1000, 9999)}-{rng.randint(1000, 9999)}",
        "DATE": lambda: rng.choice(dates),
        "YEAR": lambda: f"{year}年",
        "AGE": lambda: f"{rng.randint(18, 94)}歳",
        "SEX": lambda: rng.choice(("男性", "女性", "男", "女")),
        "exam": lambda: pick(EXAM),
        "n": lambda: str(rng.randint(3, 48)),
    }
    return made[slot]()
