"""Names, places, firms and figures of a story, per language: invented combinations, drawn with a seeded generator."""

import random
from collections.abc import Callable

_EN_GIVEN = ("Odalys", "Corwin", "Thessaly", "Brannoch", "Imelda", "Rufus", "Saskia", "Leopold", "Marguerite", "Tobin")
_EN_FAMILY = ("Askwith", "Pellingham", "Roskilly", "Tarrant", "Vexley", "Hallorane", "Quenby", "Stroud", "Illingby")
_EN_PLACE = ("Fenwick Reach", "Saltholm", "Upper Merrow", "Cranby Quay", "Thornage", "Little Hask", "Osier Bridge")
_EN_FIRM = ("Ketteridge Cranes", "Blue Anvil Works", "Harl & Sons", "Tern Logistics", "Osmund Paper", "Wick Marine")
_EN_ITEM = ("copper ridge", "lantern", "weather vane", "gable", "orchard", "granary", "millstone")
_DE_GIVEN = ("Friedolf", "Annegret", "Lorenz", "Swantje", "Ottokar", "Hedwig", "Jorinde", "Bertram")
_DE_FAMILY = ("Kesselring", "Wohlgemuth", "Distelkamp", "Brunkhorst", "Angermayr", "Stolzenau")
_DE_PLACE = ("Harzbrück", "Niederlohe", "Kaltenweiler", "Mühlstett", "Ostergrund", "Sandhövel")
_DE_FIRM = ("Presswerk Lohmar", "Gebrüder Tiede", "Rheinstahl Nord", "Ziegler Antriebe", "Hansa Federn")
_JA_FAMILY = ("榛名", "小鳥遊", "月見里", "東雲", "八神", "水無瀬", "若槻")
_JA_GIVEN = ("颯太", "千尋", "由良", "悠人", "真琴", "結衣")
_JA_PLACE = ("汐見台配送所", "北雲町センター", "桐ヶ丘三丁目", "浜名橋倉庫", "鷺沼二番街")
_JA_FIRM = ("白樺乳業", "東洋ゆず園", "星海水産", "松葉電機", "丹波製菓")
_ZH_FAMILY = ("欧阳", "司徒", "阮", "秦", "苗", "柳", "骆")
_ZH_GIVEN = ("景明", "若溪", "天佑", "晓岚", "子墨", "云汐")
_ZH_PLACE = ("青屏路二十二号", "临沧港", "锦绣东街", "南浦码头", "白石桥")
_ZH_FIRM = ("鑫远五金行", "碧湖茶庄", "启航电子", "宏达旅社", "四方果业")
_MONTHS = ("January", "March", "April", "May", "June", "August", "September", "November")
_MONATE = ("Januar", "März", "April", "Juni", "Juli", "September", "Oktober", "November")


def english(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one English record."""
    person, person2 = _two(rng, _EN_GIVEN, _EN_FAMILY, " ")
    return {
        **_figures(rng, "{:,} pounds", "GB"),
        "person": person,
        "person2": person2,
        "place": rng.choice(_EN_PLACE),
        "firm": rng.choice(_EN_FIRM),
        "item": rng.choice(_EN_ITEM),
        "date": f"{rng.randrange(1, 29)} {rng.choice(_MONTHS)} 2026",
        "date2": f"{rng.randrange(1, 29)} {rng.choice(_MONTHS)} 2027",
        "phone": f"0{rng.randrange(1200, 1999)} 555 {rng.randrange(100, 999)}",
        "mail": f"{person2.split()[1].lower()}{rng.randrange(10, 99)}@example.org",
    }


def german(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one German record."""
    person, person2 = _two(rng, _DE_GIVEN, _DE_FAMILY, " ")
    return {
        **_figures(rng, "{:,} Euro", "DE"),
        "person": person,
        "person2": person2,
        "place": rng.choice(_DE_PLACE),
        "firm": rng.choice(_DE_FIRM),
        "item": "Welle",
        "date": f"{rng.randrange(1, 29)}. {rng.choice(_MONATE)} 2026",
        "date2": f"{rng.randrange(1, 29)}. {rng.choice(_MONATE)} 2025",
        "phone": f"0{rng.randrange(300, 999)} 555{rng.randrange(100, 999)}",
        "mail": f"{person2.split()[1].lower()}{rng.randrange(10, 99)}@example.net",
    }


def japanese(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one Japanese record."""
    person, person2 = _two(rng, _JA_FAMILY, _JA_GIVEN, " ")
    return {
        **_figures(rng, "{:,}円", "JP"),
        "person": person,
        "person2": person2,
        "place": rng.choice(_JA_PLACE),
        "firm": rng.choice(_JA_FIRM),
        "item": "木箱",
        "date": f"2026年{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
        "date2": f"2027年{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
        "phone": f"0{rng.randrange(50, 90)}-555-{rng.randrange(1000, 9999)}",
        "mail": f"yubin{rng.randrange(10, 99)}@example.com",
    }


def chinese(rng: random.Random) -> dict[str, str]:
    """Returns the slot values of one Chinese record."""
    person, person2 = _two(rng, _ZH_FAMILY, _ZH_GIVEN, "")
    return {
        **_figures(rng, "{:,}元", "CN"),
        "person": person,
        "person2": person2,
        "place": rng.choice(_ZH_PLACE),
        "firm": rng.choice(_ZH_FIRM),
        "item": "机器",
        "date": f"2026年{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
        "date2": f"2027年{rng.randrange(1, 13)}月{rng.randrange(1, 29)}日",
        "phone": f"1{rng.randrange(30, 90)}-555-{rng.randrange(1000, 9999)}",
        "mail": f"fengkong{rng.randrange(10, 99)}@example.com",
    }


FILLERS: dict[str, Callable[[random.Random], dict[str, str]]] = {
    "en": english,
    "de": german,
    "ja": japanese,
    "zh": chinese,
}


def _two(rng: random.Random, first: tuple[str, ...], second: tuple[str, ...], between: str) -> tuple[str, str]:
    """Returns two different full names."""
    ahead, behind = rng.sample(first, 2), rng.sample(second, 2)
    return f"{ahead[0]}{between}{behind[0]}", f"{ahead[1]}{between}{behind[1]}"


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
