"""Names, places, firms and figures of a story, per language: invented combinations, drawn with a seeded generator."""

import random
from collections.abc import Callable, Sequence


def _words(text: str, between: str | None = None) -> tuple[str, ...]:
    return tuple(text.split(between))


# Names are put together from halves, so that two tenants seldom share one, as in life.
_EN_GIVEN = _words(
    "Odalys Corwin Thessaly Brannoch Imelda Rufus Saskia Leopold Marguerite Tobin Araminta Fergus Isolde Quentin "
    "Beatrix Lysander Philippa Osbert Rosalind Ambrose Cordelia Hamish Verity Ignatius Delphine Magnus Tabitha Barnaby"
)
_EN_MIDDLE = (*_words("er in el ard en a o un ing y mar ell"), "")
_EN_FAMILY = (
    _words(
        "Ask Pelling Rosk Tarr Vex Hallo Quen Stro Illing Wether Bram Calder Dun Eskel Fair Garth Haver Kemb Lang Marl "
        "Nether Orm Penn Rad Skel Thorn Ul Wain Yar"
    ),
    _words("with ham illy ant ley rane by worth ford stead more dale bury combe gill sby thwaite"),
)
_EN_PLACE = (
    _words("Fen Salt Merrow Cran Thorn Hask Osier Bram Lark Mill Stone Ash Whit Harrow Elder Sheep Gold Hazel Winter"),
    _words("wick holm bridge quay age field stow mouth ley gate cross reach down"),
)
_EN_FIRM = (
    _words(
        "Ketteridge Anvil Harl Tern Osmund Wick Bellamy Corran Dray Everett Finch Galt Hobday Ives Jessop Lomas Mott"
    ),
    _words(" Cranes, & Sons, Logistics, Paper, Marine, Works, Optics, Timber, Foods, Cables, Motors, Textiles", ","),
)
_EN_ITEM = ("copper ridge", "lantern", "weather vane", "gable", "orchard", "granary", "millstone", "belfry", "dovecote")
_DE_MIDDLE = (*_words("er en el ing o u al ach"), "")
_DE_GIVEN = _words(
    "Friedolf Annegret Lorenz Swantje Ottokar Hedwig Jorinde Bertram Wiebke Eckhard Rosalie Tilman Gesine Hartmut "
    "Ulrike Falko Dorothee Ansgar Irmgard Volkmar"
)
_DE_FAMILY = (
    _words("Kessel Wohl Distel Brunk Anger Stolz Hagen Linden Birk Rauten Mühl Eschen Falken Grün Oster Steg"),
    _words("ring gemuth kamp horst mayr nau brink bach feld rode stein hauer wald mann"),
)
_DE_PLACE = (
    _words("Harz Nieder Kalten Mühl Oster Sand Linden Ober Wester Falken Grün Erlen Buch"),
    _words("brück lohe weiler stett grund hövel au kirchen hagen furt see tal"),
)
_DE_FIRM = (
    _words("Presswerk Rheinstahl Gebrüder Ziegler Hansa Union Alpen Weser Nordmark Elbtal"),
    _words(" Lohmar, Nord, Tiede, Antriebe, Federn, Guss, Getriebe, Achsen, Walzen, Lager", ","),
)
_JA_FAMILY = (list("榛東八水若月白黒青赤高小大北南西石森林桐柏"), list("名雲神瀬槻見沢木柳城野松嶋原川崎橋谷坂井"))
_JA_GIVEN = _words("颯太 千尋 由良 悠人 真琴 結衣 蒼空 美月 直樹 沙羅 隼人 彩乃 拓海 小春 翔平 詩織 良介 葵 健吾 遥")
_JA_PLACE = (
    _words("汐見 北雲 桐ヶ丘 浜名 鷺沼 若葉 青嶺 古橋 緑野 霞浦 雪代 朝日 紅坂 深水"),
    _words("台配送所 町センター 三丁目 橋倉庫 二番街 通り支店 港営業所 東口 四丁目"),
)
_JA_FIRM = (
    _words("白樺 東洋 星海 松葉 丹波 朝凪 月影 千歳 山吹 鶴亀 銀河 若松"),
    _words("乳業 ゆず園 水産 電機 製菓 鉄工 薬品 繊維 印刷 醸造"),
)
_ZH_FAMILY = _words("欧阳 司徒 阮 秦 苗 柳 骆 温 章 诸葛 上官 尹 裴 邵 祁 蓝 颜 贺 陶 孟")
_ZH_GIVEN = (list("景若天晓子云思文雨嘉梓浩静明书"), list("明溪佑岚墨汐远清彤宁轩然和川瑶"))
_ZH_PLACE = (
    _words("青屏 临沧 锦绣 南浦 白石 望江 云栖 长亭 东篱 紫荆 金沙 鹿鸣"),
    _words("路二十二号 港 东街 码头 桥 巷七号 广场 西里 大道九十号 新村"),
)
_ZH_FIRM = (
    _words("鑫远 碧湖 启航 宏达 四方 瑞祥 嘉禾 海川 明珠 长风 天工 聚源"),
    _words("五金行 茶庄 电子 旅社 果业 服饰 药房 书店 家具厂 水产"),
)
_RU_GIVEN = _words(
    "Агафья Демьян Лукерья Тихон Ефим Зинаида Прохор Клавдия Макар Аглая Фёдор Ульяна Савва Раиса Игнат Пелагея"
)
_RU_FAMILY = (
    _words("Берез Сосн Камен Журавл Медв Соко Волк Зимов Лугов Озёр Стеклян Мельник Кожев Гончар Дубров Рябин"),
    _words("ский цев ников енко ин ов ятин аров ачёв"),
)
_RU_PLACE = (
    _words("Верхне Ново Старо Красно Бело Северо Южно Мало"),
    _words("реченск горск озёрск ключевск лесск донск"),
)
_RU_FIRM = (_words("Волга Урал Сибирь Ладога Кама Онега Тобол Печора"), _words("маш строй торг хим свет лес бур порт"))
_KO_FAMILY = _words("남궁 선우 황보 제갈 독고 사공 서문 동방 김 이 박 최 정 강 윤 임")
_KO_GIVEN = (list("서지하민도예채윤태현은수"), list("준우진아연호린율빈솔담결"))
_KO_PLACE = (_words("한빛 새솔 푸른 달빛 은하 솔내 큰샘 맑은"), _words("동 항구 시장 삼거리 공단 나루 언덕 마을"))
_KO_FIRM = (_words("대한 미래 누리 가온 한울 다솜 온새 마루"), _words("물산 전자 식품 제약 해운 화학 섬유 기계"))
_MONTHS = ("January", "March", "April", "May", "June", "August", "September", "November")
_MONATE = ("Januar", "März", "April", "Juni", "Juli", "September", "Oktober", "November")


def english(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one English record."""
    person, person2 = [f"{rng.choice(_EN_GIVEN)} {_pair(rng, _EN_FAMILY, _EN_MIDDLE)}" for _ in range(2)]
    return {
        **_figures(rng, "{:,} pounds", "GB"),
        "person": person,
        "person2": person2,
        "place": _pair(rng, _EN_PLACE, _EN_MIDDLE),
        "firm": _pair(rng, _EN_FIRM, _EN_MIDDLE),
        "item": rng.choice(_EN_ITEM),
        "date": f"{rng.randrange(1, 29)} {rng.choice(_MONTHS)} 2026",
        "date2": f"{rng.randrange(1, 29)} {rng.choice(_MONTHS)} 2027",
        "phone": f"0{rng.randrange(1200, 1999)} 555 {rng.randrange(100, 999)}",
        "mail": f"{person2.split()[1].lower()}{rng.randrange(10, 99)}@example.org",
    }


def german(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one German record."""
    person, person2 = [f"{rng.choice(_DE_GIVEN)} {_pair(rng, _DE_FAMILY, _DE_MIDDLE)}" for _ in range(2)]
    return {
        **_figures(rng, "{:,} Euro", "DE"),
        "person": person,
        "person2": person2,
        "place": _pair(rng, _DE_PLACE, _DE_MIDDLE),
        "firm": _pair(rng, _DE_FIRM),
        "item": "Welle",
        "date": f"{rng.randrange(1, 29)}. {rng.choice(_MONATE)} 2026",
        "date2": f"{rng.randrange(1, 29)}. {rng.choice(_MONATE)} 2025",
        "phone": f"0{rng.randrange(300, 999)} 555{rng.randrange(100, 999)}",
        "mail": f"{person2.split()[1].lower()}{rng.randrange(10, 99)}@example.net",
    }


def japanese(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one Japanese record."""
    person, person2 = [f"{_pair(rng, _JA_FAMILY)} {rng.choice(_JA_GIVEN)}" for _ in range(2)]
    return {
        **_figures(rng, "{:,}円", "JP"),
        "person": person,
        "person2": person2,
        "place": _pair(rng, _JA_PLACE),
        "firm": _pair(rng, _JA_FIRM),
        "item": "木箱",
        "date": f"2026年{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
        "date2": f"2027年{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
        "phone": f"0{rng.randrange(50, 90)}-555-{rng.randrange(1000, 9999)}",
        "mail": f"yubin{rng.randrange(10, 99)}@example.com",
    }


def chinese(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one Chinese record."""
    person, person2 = [f"{rng.choice(_ZH_FAMILY)}{_pair(rng, _ZH_GIVEN)}" for _ in range(2)]
    return {
        **_figures(rng, "{:,}元", "CN"),
        "person": person,
        "person2": person2,
        "place": _pair(rng, _ZH_PLACE),
        "firm": _pair(rng, _ZH_FIRM),
        "item": "机器",
        "date": f"2026年{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
        "date2": f"2027年{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
        "phone": f"1{rng.randrange(30, 90)}-555-{rng.randrange(1000, 9999)}",
        "mail": f"fengkong{rng.randrange(10, 99)}@example.com",
    }


def russian(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one Russian record."""
    person, person2 = [f"{rng.choice(_RU_GIVEN)} {_pair(rng, _RU_FAMILY)}" for _ in range(2)]
    return {
        **_figures(rng, "{:,} рублей", "RU"),
        "person": person,
        "person2": person2,
        "place": _pair(rng, _RU_PLACE),
        "firm": _pair(rng, _RU_FIRM),
        "item": "ящик",
        "date": f"{rng.randrange(1, 29):02}.{rng.randrange(1, 13):02}.2026",
        "date2": f"{rng.randrange(1, 29):02}.{rng.randrange(1, 13):02}.2027",
        "phone": f"8 {rng.randrange(300, 999)} 555-{rng.randrange(1000, 9999)}",
        "mail": f"kontora{rng.randrange(10, 99)}@example.org",
    }


def korean(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one Korean record."""
    person, person2 = [f"{rng.choice(_KO_FAMILY)}{_pair(rng, _KO_GIVEN)}" for _ in range(2)]
    return {
        **_figures(rng, "{:,}원", "KR"),
        "person": person,
        "person2": person2,
        "place": _pair(rng, _KO_PLACE),
        "firm": _pair(rng, _KO_FIRM),
        "item": "상자",
        "date": f"2026년 {rng.randrange(1, 13)}월 {rng.randrange(1, 29)}일",
        "date2": f"2027년 {rng.randrange(1, 13)}월 {rng.randrange(1, 29)}일",
        "phone": f"0{rng.randrange(31, 65)}-555-{rng.randrange(1000, 9999)}",
        "mail": f"samusil{rng.randrange(10, 99)}@example.net",
    }


FILLERS: dict[str, Callable[[random.Random], dict[str, str]]] = {
    "en": english,
    "de": german,
    "ja": japanese,
    "zh": chinese,
    "ru": russian,
    "ko": korean,
}


def _pair(rng: random.Random, halves: tuple[Sequence[str], Sequence[str]], middle: Sequence[str] = ("",)) -> str:
    return rng.choice(halves[0]) + rng.choice(middle) + rng.choice(halves[1])


def _figures(rng: random.Random, money: str, country: str) -> dict[str, str]:
    letters = "".join(rng.choice("ABCDEFGHKLMNPRSTUVWXYZ") for _ in range(2))
    return {
        "amount": money.format(rng.randrange(1_000, 990_000)),
        "amount2": money.format(rng.randrange(1_000, 990_000)),
        "code": f"{country}{letters}{rng.randrange(1000, 9999)}/{rng.randrange(10, 99)}",
        "clock": f"{rng.randrange(0, 24):02}:{rng.randrange(0, 60):02}",
        "n": str(rng.randrange(20, 400)),
        "n2": str(rng.randrange(3, 90)),
        "n3": str(rng.randrange(41, 99)),
        "n4": str(rng.randrange(1000, 9999)),
    }
