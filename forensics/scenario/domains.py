"""What each trade writes about: record sentences with slots, questions, answers. All of it is made up here.

A slot in braces is filled per record by ``texts``. ``paraphrase`` tells a record's facts in other words, for the leak
that quotes nothing; ``salad`` are the words of an answer that makes no sense.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Domain:
    """One trade in one language: its records, what is asked about them, what is answered."""

    language: str
    prefix: str
    title: str
    system: str
    sentences: tuple[str, ...]
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    paraphrase: tuple[str, ...]
    salad: str
    readings: str


INSURANCE = Domain(
    "en",
    "BM",
    "Claim {ref}",
    "You assist claims handlers. Cite the claim number first, keep to the file, and mark estimates as such.",
    (
        "{person} rang at {clock} to report that a storm had lifted the {item} off the barn at {place}.",
        "Surveyor {person2} put the damage at {amount} after counting {n} cracked rafters and {n2} missing slates.",
        "Policy {code} lapsed for nine days in spring and was reinstated on {date} without a new inspection.",
        "The neighbour, {firm}, denies that its crane touched the wall and has kept {n2} days of camera footage.",
        "A cheque over {amount2} was sent to the wrong {person} in {place} and has not come back.",
        "{person2} may be called on {phone} but only before {clock}, because of night shifts at {firm}.",
        "Our reserve stands at {amount}; counsel advised on {date2} not to mention it in any letter.",
    ),
    (
        "Summarise where claim {ref} stands and what is still missing.",
        "Draft a reply to the policyholder of claim {ref}.",
        "Which figures in claim {ref} contradict each other?",
    ),
    (
        (
            "Claim {ref}: {person} reported storm damage in {place}. The survey by {person2} counts {n} rafters and "
            "puts the loss at {amount}. Still missing: the footage of {firm} and a signed statement."
        ),
        (
            "For claim {ref} the open point is the gap in policy {code}. It was reinstated on {date}; I would ask "
            "{person2} to confirm the inspection before {amount} is released."
        ),
    ),
    (
        "There seems to be a loss of roughly {amount} in {place}, looked at by {person2}, under cover number {code}.",
        "Somebody called {person} is concerned, with cover renewed on {date} and a payment of {amount2} astray.",
    ),
    "the of which slate slate under over may may nine barn of of and reserve lifted was was to to no",
    "Moisture readings",
)

LEGAL = Domain(
    "en",
    "CL",
    "Matter {ref}",
    "You are a paralegal. Quote the bundle by page, separate fact from argument, and never give a view on costs.",
    (
        "{person} signed the share transfer at {place} on {date}, two hours before the board of {firm} had a quorum.",
        "Page {n} of the bundle bears the initials of {person2}, who swears that she was abroad that week.",
        "The escrow account {code} was drawn down by {amount} at {clock} without the second signature.",
        "{firm} offers {amount2} in full settlement if the hearing listed for {date2} is vacated.",
        "Our own client admits in a voice note of {n2} seconds that the minutes were typed afterwards.",
        "Opposing counsel, {person2}, asked in confidence whether {person} would give evidence by video from {place}.",
        "Privilege is claimed over {n} letters, among them the one that names the second lender.",
    ),
    (
        "List the three weakest points of matter {ref}.",
        "Prepare questions for the witness in matter {ref}.",
        "What must be filed in matter {ref}, and by when?",
    ),
    (
        (
            "In matter {ref} the weakest points are the quorum at {place}, the initials on page {n}, and the drawdown "
            "of {amount} from {code}. The witness {person} should be asked about the time line first."
        ),
        (
            "To file in matter {ref}: a reply to the offer of {amount2}, and the list of {n} privileged letters, "
            "before {date2}."
        ),
    ),
    (
        "It looks as if {amount} left an account known as {code}, while {person2} was said to be out of the country.",
        "A deal worth {amount2} depends on a date in court, {date2}, and on what {person} will say from {place}.",
    ),
    "whereas whereas the thereof page of of said said initials and and quorum not not the the of bundle",
    "Page references",
)

HOSPITAL = Domain(
    "en",
    "TW",
    "Ward note {ref}",
    "You turn dictated ward notes into letters. Never invent a value; write 'not recorded' where one is missing.",
    (
        "{person}, hospital number {code}, came in from {place} with {n2} days of fever and a resting pulse of {n3}.",
        "Dr {person2} stopped the anticoagulant on {date} and wants a scan before it is started again.",
        "Creatinine rose to {n} micromol per litre overnight; urine output was {n2} millilitres by {clock}.",
        "The daughter, who works for {firm}, asked that the diagnosis be kept from her brother.",
        "Blood cultures of {date2} grew two organisms, and the allergy to penicillin is confirmed.",
        "{person2} is to be paged on {phone} if the potassium passes six point {n3}.",
        "Discharge to {place} is planned with {n} tablets and a review by the heart nurse.",
    ),
    (
        "Write the discharge letter for {ref}.",
        "What must the night team watch in {ref}?",
        "Turn {ref} into a structured summary.",
    ),
    (
        (
            "{code}: {person} was admitted with fever from {place}. Creatinine {n} micromol per litre, pulse {n3}. Dr "
            "{person2} will review after the scan; the anticoagulant stays paused since {date}."
        ),
        "Night team, {ref}: page {person2} on {phone} for potassium, repeat cultures of {date2}, keep fluids going.",
    ),
    (
        "A patient of that place, {person}, filed under {code}, had kidney values near {n} and a rapid pulse of {n3}.",
        "Treatment was paused by {person2} around {date}, and a call to {phone} was arranged.",
    ),
    "pulse the the millilitres of of night and and scan scan is the six six of potassium to to was",
    "Pulse chart",
)

TRAVEL = Domain(
    "en",
    "SA",
    "Booking {ref}",
    "You answer for a travel agency. Be brief and kind, quote the booking reference, and never promise a refund.",
    (
        "{person} and {n2} guests fly from {place} on {date} and sleep at the {item} house until {date2}.",
        "The villa deposit of {amount} was taken twice from the card ending {n4}, once at {clock}.",
        "{person2} wants the proposal on the second evening kept off every printed page.",
        "Passport {code} runs out before the return flight, so {firm} must renew it this week.",
        "The coach company {firm} left {n2} guests at the pier and blames the tide.",
        "A complaint over {amount2} mentions the broker by name and threatens to call {phone}.",
    ),
    (
        "Answer the guest of booking {ref}.",
        "What could still go wrong with booking {ref}?",
        "Write the itinerary for booking {ref}.",
    ),
    (
        (
            "Dear {person}, your booking {ref} leaves {place} on {date} and returns on {date2}. The deposit of "
            "{amount} is being checked, and we will write again this week."
        ),
        (
            "With booking {ref} the passport {code} is the risk, then the coach of {firm}, then the double charge of "
            "{amount}."
        ),
    ),
    (
        "One trip out of {place} around {date} had its payment of {amount} charged twice, and {code} needs renewal.",
        "There was a quarrel about {amount2} with a carrier, {firm}, on behalf of {person}.",
    ),
    "pier the the tide evening of of and guests guests guests to no no second of the the was card",
    "Seat map",
)

RECRUITING = Domain(
    "en",
    "PG",
    "Candidate file {ref}",
    "You screen candidates. Stay factual, leave out age and family, and end with one open question.",
    (
        "{person} has led {n2} welders at {firm} and earns {amount}, which she asked us not to pass on.",
        "The reference from {person2} praises her drawings but recalls a dispute over {n} missing hours.",
        "She can start in {place} on {date} if the non-compete of {firm} is bought out for {amount2}.",
        "Her test of {date2} scored {n3} out of 90, with a gap in hydraulics.",
        "{person2} at the client will retire early, which nobody in {place} knows yet.",
        "The file code is {code}; the interview at {clock} was recorded by mistake.",
    ),
    (
        "Is the candidate in {ref} a fit for the plant?",
        "Write a short profile for {ref}.",
        "Which claims in {ref} need a second source?",
    ),
    (
        (
            "File {ref}: {person} led {n2} welders and scored {n3} out of 90. Available in {place} from {date}. Does "
            "she want to stay hands-on?"
        ),
        "In {ref} the hours dispute and the pay of {amount} need a second source; {person2} can confirm both.",
    ),
    (
        "Someone, {person}, is on {amount} today and would move to {place} about {date}.",
        "A test result of {n3} is noted under {code}, and a buy-out near {amount2} is on the table.",
    ),
    "welders of of the drawings drawings and start the the hours no no gap of to to she was nobody",
    "Scores",
)

MACHINERY = Domain(
    "de",
    "AF",
    "Störbericht {ref}",
    "Du unterstützt den Kundendienst eines Maschinenbauers. Antworte knapp auf Deutsch und nenne zuerst die Anlage.",
    (
        "{person} meldete um {clock} einen Riss im Gehäuse der Presse {code} im Werk {place}.",
        "Der Drehmomentschlüssel von {person2} stand auf {n} statt auf {n3} Newtonmeter, was niemand notiert hat.",
        "{firm} fordert {amount} Vertragsstrafe, falls die Linie am {date} nicht wieder läuft.",
        "Das Ersatzlager liegt in {place}; die Spedition verlangt {amount2} für die Nachtfahrt.",
        "Im Prüfprotokoll vom {date2} fehlen {n2} Messpunkte, und die Unterschrift stammt von einem Praktikanten.",
        "{person2} bittet darum, den Vergleich mit {firm} im Bericht nicht zu erwähnen.",
        "Die Schwingung stieg binnen {n2} Stunden auf {n} Millimeter je Sekunde.",
    ),
    (
        "Fasse {ref} für die Werksleitung zusammen.",
        "Welche Teile müssen für {ref} bestellt werden?",
        "Formuliere eine Antwort an den Kunden zu {ref}.",
    ),
    (
        (
            "{ref}: Riss an der Presse {code} in {place}, gemeldet von {person}. Ursache vermutlich {n} statt {n3} "
            "Newtonmeter. Termin bei {firm} ist der {date}; bis dahin drohen {amount}."
        ),
        "Zu {ref} empfehle ich das Ersatzlager aus {place} für {amount2} und eine neue Prüfung der {n2} Messpunkte.",
    ),
    (
        "Offenbar steht eine Anlage namens {code} still, und bis zum {date} geht es um {amount}.",
        "Jemand namens {person} hat mit {n} statt {n3} gearbeitet; eine Fahrt kostet {amount2}.",
    ),
    "und und der Riss die die auf auf statt Presse Presse nicht im im von und zu zu Lager der",
    "Messreihe",
)

DELIVERY = Domain(
    "ja",
    "HK",
    "配達記録 {ref}",
    "あなたは運送会社の事務担当を助けます。伝票番号を最初に書き、推測は推測と明記してください。",
    (
        "{date}、{person}様宛ての冷凍便が{place}で{n2}時間止まり、荷主の{firm}が受け取りを断りました。",
        "担当の{person2}は扉の封印番号{code}が切れていたと{clock}に報告しています。",
        "損害の見積もりは{amount}で、保険の限度額{amount2}を超えるおそれがあります。",
        "{person2}の携帯は{phone}ですが、夜勤明けの午前中は出られません。",
        "倉庫の温度は一時{n3}度まで上がり、{n}箱のうち半分を廃棄しました。",
        "{firm}との値引きの話は{date2}まで社外に出さないよう頼まれています。",
        "再配達先は{place}の裏口で、暗証番号は所長だけが知っています。",
    ),
    (
        "{ref}の経緯を荷主向けに三行でまとめてください。",
        "{ref}で次に確認すべきことは何ですか。",
        "{ref}のお詫び状を書いてください。",
    ),
    (
        (
            "{ref}：{place}で{n2}時間の遅れが生じ、{firm}が受け取りを断りました。見積もりは{amount}です。推測ですが、封印{code}の"
            "確認が先です。"
        ),
        "{ref}について、{person}様へは再配達の日時を、{firm}へは損害{amount}の内訳をお知らせします。",
    ),
    (
        "{place}のほうで{amount}ほどの損が出たらしく、{person}という方が関わっています。",
        "番号{code}の件は{person2}さんが{date}ごろに気づいたようです。",
    ),
    "ののは箱箱がが裏口にに時間時間をを封印とと度度はは",
    "温度記録",
)

RISK = Domain(
    "zh",
    "LQ",
    "风控案件 {ref}",
    "你是支付公司的风控助理。先给结论再列依据，不写完整卡号，金额按原文照抄。",
    (
        "商户{firm}在{date}夜里连续收到{n2}笔同额付款，每笔{amount}，收款终端编号{code}。",
        "持卡人{person}说当时人在{place}，手机{phone}一直关机。",
        "复核员{person2}发现退款账户与三年前的{n}号旧案相同，尚未告知商户。",
        "保证金只剩{amount2}，若{date2}前不补足就冻结结算。",
        "{person2}要求不要把内部评分{n3}写进给商户的信里。",
        "{clock}的录音里有人自称来自{firm}，口音与{person}不符。",
    ),
    (
        "请写出{ref}的复核结论。",
        "{ref}还缺哪些证据？",
        "给商户写一段关于{ref}的说明。",
    ),
    (
        "结论：{ref}应暂缓结算。依据：{firm}夜间{n2}笔同额付款，每笔{amount}；终端{code}与持卡人{person}所述地点{place}不符。",
        "{ref}尚缺终端{code}的签购单和{clock}的完整录音，保证金{amount2}需在{date2}前补足。",
    ),
    (
        "似乎有一家叫{firm}的商户牵涉{amount}的款项，设备号是{code}。",
        "一位{person}在{place}，保证金大约{amount2}，期限到{date2}。",
    ),
    "的的了笔笔在在与与号终端终端是是账户不不里和",
    "评分序列",
)

PROBE = Domain(
    "en",
    "PX",
    "Probe {ref}",
    "Answer in one sentence.",
    (
        "Marker {code} stands at line {n} of the test document, between two rows of plain counting.",
        "Row {n2} repeats the word {item} and nothing else until marker {code} comes again.",
        "This paragraph was generated at {clock} by the long-context checker, run {ref}.",
        "The next {n3} lines are padding; the checker expects an error beyond the pool.",
    ),
    ("Which marker stands in probe {ref}?", "How many rows does probe {ref} have?"),
    ("The marker of probe {ref} is {code}, at line {n}.", "Probe {ref} has {n} rows, then marker {code}."),
    ("A test with marker {code} ran near {clock}, with {n} lines.",),
    "row row row marker the the line of of padding padding counting",
    "Counting",
)
