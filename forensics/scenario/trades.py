"""Trades put together from phrases: every tenant of a large world writes records in a manner of its own.

A sentence is who, how it was said, what happened, and an aside. Tenants share phrases, as people do, but hardly a
sentence; names and figures are drawn per record. Some lines are table rows or code.
"""

# ruff: noqa: E501 - phrases read best whole
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from forensics.scenario.domains import Domain


@dataclass(frozen=True)
class Phrases:
    """What a language has to say: four lists of sentence parts with slots, and what goes around them."""

    who: tuple[str, ...]
    said: tuple[str, ...]
    what: tuple[str, ...]
    aside: tuple[str, ...]
    rows: tuple[str, ...]
    joint: str
    stop: str
    titles: tuple[str, ...]
    systems: tuple[str, ...]
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    paraphrase: tuple[str, ...]
    readings: str


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.strip().split("|"))


_ROLES = _list(
    "auditor|registrar|driver|treasurer|night nurse|surveyor|notary|foreman|clerk|dispatcher|broker|warden|curator|janitor|"
    "pilot|actuary|steward|welder|librarian|chandler|bailiff|botanist|cooper|drover|estimator|ferryman|gardener|glazier|"
    "harbour master|interpreter|jeweller|keeper|lamplighter|mason|optician|porter|quarryman|rigger|saddler|tanner|usher|"
    "valuer|weaver|yardman|cartographer|bookbinder|paymaster|signalman|tiler|brewer"
)
_THINGS = _list(
    "crate|valve|ledger|lease|ballast|invoice|coupon|turbine|hinge|barrel|blueprint|caravan|deposit box|easement|ferry slot|"
    "gasket|hull plate|ice core|jetty|kiln|locker|manifest|nozzle|orchard plot|pallet|quota|relay|sluice|tender|urn|voucher|"
    "warrant|x-ray|yacht berth|zinc roof|annuity|boiler|claim form|dowry chest|escrow|flue|grant|hearing aid|incubator|"
    "joint venture|keystone|lift shaft|mooring|nursery bed|option|pension pot|quarry face|receipt book|scaffold|tape reel|"
    "underpass|vineyard|well cap|yield bond|antenna|bridge toll|cold store|drainpipe|engine block|freight wagon"
)
_HAPPENED = _list(
    "was resealed overnight|lost its lead seal|came up {n2} short|went to the wrong dock|has not been seen in {place} since|"
    "was signed for twice|burned out at {n3} degrees|was pawned for {amount2}|stands in the name of {person2}|"
    "will lapse on {date2}|was moved to {place}|never passed inspection|was painted over|held for {n} days only|"
    "turned up in a skip|was split in {n2} parts|bears a forged stamp|costs {amount} more than agreed|was sold behind a door|"
    "leaks {n3} litres a minute|was counted by {person2} alone|weighs {n4} grams too much|had been empty all along|"
    "was insured at {firm} and elsewhere|froze for {n2} hours|belongs to the estate|got {n} scratches on the way|"
    "was let to a cousin of {person2}|shows page {n4} torn out|will be dug up in {place}|was measured with a broken rule|"
    "is worth {amount2} at best|was lent to {firm}|fell off the books|has two keys, both lost|was numbered {n4} by mistake|"
    "smelled of smoke|went under the hammer in {place}|was left out of the audit|carries the seal of {firm}"
)
_TOLD = _list(
    "confirmed on {date} that|denies that|wrote at {clock} that|told {person2} in confidence that|put on record that|"
    "let slip on {date2} that|found by sheer luck that|swears by all that is holy that|was the first to see that|"
    "noted in the margin that|reported, cool as a cucumber, that|could not explain why|fears that|shouted down the line that|"
    "has a photograph showing that|dreamt, of all things, that|wants it known that|learned from a postcard that|"
    "will testify that|gave {n2} reasons why|was sacked for saying that|whispered at {clock} that|warned {firm} that|"
    "cannot forget that|overheard in {place} that|bet a bottle that|typed with one finger that"
)
_ASIDES = _list(
    ", which nobody at {firm} has seen|; the copy is with {person2}|, and asked for a call on {phone}|, by the skin of its teeth|"
    ", and the board will hear of it on {date2}|; {amount2} is at stake|, at the end of the day a matter for {person2}|"
    ", although {firm} was paid to check|(file {code})|; reply to {mail}|, rain or shine||, so help me|; ask at the back door|"
    ", and that was that|, once in a blue moon|; see drawer {n}|, not for the first time|, says the parrot|, which hurts"
)

ENGLISH = Phrases(
    tuple(f"The {role} {{person}}" for role in _ROLES) + tuple(f"{{firm}}'s {role}" for role in _ROLES),
    _TOLD,
    tuple(f"{thing} {{code}} {what}" for thing in _THINGS for what in _HAPPENED),
    _ASIDES,
    _list(
        "{ref};{person};{code};{amount};{place};{date}|assert ledger['{code}'].owner == '{person}'  # {place}, {clock}|"
        "UPDATE claim SET due = '{amount2}' WHERE code = '{code}' AND clerk = '{person2}';|"
        "<tr><td>{person2}</td><td>{code}</td><td>{n4}</td><td>{amount}</td><td>{date2}</td></tr>"
    ),
    " ",
    ".",
    _list("File {ref}|Dossier {ref}|Note on {ref}|Entry {ref}|Record {ref}"),
    _list(
        "You summarise records for {trade}. Keep to the file and name figures exactly.|"
        "You answer for {trade}. Say what is known first, then what is not.|"
        "You draft letters for {trade}. Never add a fact; mark doubts as such."
    ),
    _list(
        "What is still open in {ref}?|Summarise {ref} in three sentences.|Which figures in {ref} contradict each other?|"
        "Who has to be told about {ref}, and by when?|List names and sums of {ref}."
    ),
    _list(
        "In {ref} the open point is {code} in {place}: {person} and {person2} differ over {amount}. Decide by {date}.|"
        "{ref} concerns {firm} and {person}. The sum in question is {amount}; {person2} expects an answer by {date2}.|"
        "For {ref} please tell {person2} at {firm} before {date}. Account {code} and the {amount} need a second look."
    ),
    _list(
        "Somebody called {person} seems tied to a sum near {amount} and to the number {code}.|"
        "There was talk of {place} and of {amount2}, with {person2} and {code} in the middle of it.|"
        "It turns on {date}, on {person}, and on whatever {code} stands for."
    ),
    "Readings",
)

GERMAN = Phrases(
    _list(
        "{person} von {firm}|Die Prüferin {person2}|Ein Anrufer aus {place}|Sachbearbeiter {person}|Die Nachtschicht in {place}|"
        "Der Notar {person2}|Ein Brief von {firm}|Das Labor in {place}"
    ),
    _list(
        "bestätigte am {date}, dass|bestreitet, dass|schrieb um {clock}, dass|vertraute {person2} an, dass|gab zu Protokoll, dass|"
        "bemerkte mit Ach und Krach, dass|kann nicht erklären, warum"
    ),
    _list(
        "{amount} ohne zweite Unterschrift vom Konto {code} abgingen|Kiste {n4} in {place} neu versiegelt wurde|"
        "die Probe {code} {n2} Stunden lang auftaute|{n} Rechnungen noch die alte Anschrift in {place} tragen|"
        "Ventil {code} nur {n3} bar hielt|die Charge {n4} mit {n} Kilo falschem Harz gemischt wurde|"
        "ein Scheck über {amount2} in {place} eingelöst wurde|der Zuschuss {code} ein Boot bezahlte"
    ),
    _list(
        ", was bei {firm} niemand weiß|; die Abschrift liegt bei {person2}|, und bat um Rückruf unter {phone} vor {clock}|"
        "; es geht um {amount2}| (Akte {code})|, komme was wolle|"
    ),
    _list("{ref};{person};{code};{amount};{place};{date}|wert['{code}'] = {n4}  # geprüft von {person2}, {clock}"),
    " ",
    ".",
    _list("Akte {ref}|Vermerk {ref}|Vorgang {ref}"),
    _list(
        "Du fasst Vorgänge für {trade} zusammen. Nenne Zahlen genau.|Du entwirfst Briefe für {trade}. Erfinde nichts."
    ),
    _list(
        "Was ist bei {ref} noch offen?|Fasse {ref} in drei Sätzen zusammen.|Wer muss zu {ref} benachrichtigt werden?"
    ),
    _list(
        "Bei {ref} ist {code} in {place} offen: {person} und {person2} streiten über {amount}. Frist ist der {date}.|"
        "{ref} betrifft {firm} und {person}. Es geht um {amount}; {person2} erwartet bis {date2} Antwort."
    ),
    _list(
        "Jemand namens {person} hat wohl mit {amount} und mit der Nummer {code} zu tun.|"
        "Von {place} war die Rede und von {amount2}, dazu von {person2} und {code}."
    ),
    "Messwerte",
)

RUSSIAN = Phrases(
    _list(
        "{person} из фирмы {firm}|Ревизор {person2}|Звонивший из города {place}|Инженер {person}|Ночная смена в городе {place}|"
        "Письмо от {firm}"
    ),
    _list(
        "сообщает {date}, что|отрицает, что|пишет в {clock}, что|по секрету говорит, что|внёс в протокол, что|не может понять, почему"
    ),
    _list(
        "{amount} ушли со счёта {code} без второй подписи|ящик {n4} вскрыли в городе {place}|проба {code} таяла {n2} часов|"
        "{n} накладных несут старый адрес|клапан {code} держит лишь {n3} бар|чек на {amount2} погасили в городе {place}"
    ),
    _list(
        "; копия у {person2}|, о чём {firm} не знает|, и просит звонить {phone} до {clock}|; речь о сумме {amount2}|"
    ),
    _list("{ref};{person};{code};{amount};{place};{date}"),
    " ",
    ".",
    _list("Дело {ref}|Запись {ref}"),
    _list("Ты составляешь сводки для компании {trade}. Числа приводи точно."),
    _list("Что ещё неясно по {ref}?|Изложи {ref} в трёх фразах."),
    _list("По {ref} неясен вопрос {code}: {person} и {person2} спорят о сумме {amount}. Срок {date}."),
    _list("Некто {person} связан с суммой около {amount} и номером {code}."),
    "Показания",
)

KOREAN = Phrases(
    _list(
        "{firm}의 {person}님은|감사관 {person2}님은|{place}의 야간 근무자는|담당자 {person}님은|{firm}에서 온 편지는"
    ),
    _list("{date}에|{clock}에|비밀리에|기록으로|처음으로"),
    _list(
        "계좌 {code}에서 {amount}이 서명 없이 나갔다고|상자 {n4}번이 {place}에서 다시 봉인되었다고|시료 {code}가 {n2}시간 녹았다고|"
        "송장 {n}건에 옛 주소가 있다고|밸브 {code}가 {n3}바만 견뎠다고|{amount2} 수표가 {place}에서 쓰였다고"
    ),
    _list("알렸습니다|적었습니다|{person2}님에게 말했습니다|{phone}로 전했습니다|보고했습니다"),
    _list("{ref};{person};{code};{amount};{place};{date}"),
    " ",
    ".",
    _list("기록 {ref}|문서 {ref}"),
    _list("당신은 {trade}의 기록을 요약합니다. 숫자는 그대로 적으세요."),
    _list("{ref}에서 남은 일은 무엇입니까?|{ref}를 세 문장으로 요약하세요."),
    _list(
        "{ref}의 쟁점은 {place}의 {code}입니다. {person}님과 {person2}님이 {amount}을 두고 다툽니다. 기한은 {date}입니다."
    ),
    _list("{person}라는 분이 {amount} 정도의 돈과 번호 {code}에 관련된 듯합니다."),
    "측정값",
)

LANGUAGES: Mapping[str, Phrases] = {"en": ENGLISH, "de": GERMAN, "ru": RUSSIAN, "ko": KOREAN}
SENTENCES = 40
HABIT = 10


def trade(name: str, language: str, prefix: str) -> Domain:
    """Returns what a tenant called ``name`` writes: the same every time, and nobody else's."""
    rng = random.Random(f"trade/{name}")
    phrases = _habits(LANGUAGES[language], rng)
    sentences = {_sentence(phrases, rng) for _ in range(4 * SENTENCES)}
    chosen = rng.sample(sorted(sentences), min(len(sentences), SENTENCES))
    return Domain(
        language,
        prefix,
        rng.choice(phrases.titles),
        rng.choice(phrases.systems).replace("{trade}", name),
        (*chosen, rng.choice(phrases.rows)),
        phrases.questions,
        phrases.answers,
        phrases.paraphrase,
        _salad(phrases, rng),
        phrases.readings,
    )


def _habits(phrases: Phrases, rng: random.Random) -> Phrases:
    """Returns the phrases that one tenant is in the habit of: a dozen of each kind at most."""

    def some(every: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(rng.sample(every, min(HABIT, 1 + len(every) // 2)))

    return replace(
        phrases, who=some(phrases.who), said=some(phrases.said), what=some(phrases.what), aside=some(phrases.aside)
    )


def _sentence(phrases: Phrases, rng: random.Random) -> str:
    parts = [rng.choice(phrases.who), rng.choice(phrases.said), rng.choice(phrases.what)]
    aside = rng.choice(phrases.aside)
    between = phrases.joint if aside and aside[0] not in ",;" else ""
    return phrases.joint.join(parts) + between + aside + phrases.stop


def _salad(phrases: Phrases, rng: random.Random) -> str:
    words = [
        word for part in (*phrases.who, *phrases.said) for word in part.split() if "{" not in word and len(word) < 7
    ]
    return " ".join(rng.choice(words) for _ in range(20))
