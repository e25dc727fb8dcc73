"""The words of invented notes in Spanish and Japanese; the English ones stand in `notes`."""

from __future__ import annotations

from typing import NamedTuple


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
