"""Texts to stream: four kinds to measure with, and one short text in each of many scripts."""

from __future__ import annotations

# ------------------------------------------------------------------ for speed

ENGLISH = (
    "A server answers one token at a time, and each of them must reach the reader as soon as it"
    " can be read. Most of the time that is easy: a word is a piece, a piece is a few letters, and"
    " the letters are what they seem. Then somebody asks for a poem about flamingos, 3.5 stars out"
    " of five, or the price of a café in Málaga, and half a character arrives on its own.\n"
)
CHINESE = (
    "推理服务每次只生成一个词元,而读者希望立刻看到它。常用的汉字大多是一个完整的词元,"
    "生僻字却会被拆成两三段:龘、鱻、䨻、犇、骉,还有人名和地名里的字。"
    "半个字先到,另外半个要等下一条消息才来,中间不能把乱码发给前端。\n"
)
EMOJI = (
    "Great news 🎉🎉 the build is green ✅ and the 🦩 moved in with the 🦥! 👩‍🔬 says 👍🏽, 👨‍👩‍👧‍👦 say"
    " ❤️‍🔥, the 🏴‍☠️ crew wants 🫖 and 🧋 by 5 🕔. Weather: 🌦️ → 🌈. Mood: 🥹🫠🤌. See you in 🇧🇷 or 🇰🇪 🛫 😀\n"
)
CODE = (
    "def window(ids: list[int], size: int = 16) -> Iterator[list[int]]:\n"
    '    """The last `size` ids at each step."""\n'
    "    for end in range(1, len(ids) + 1):\n"
    "        yield ids[max(0, end - size) : end]\n\n\n"
    "if __name__ == '__main__':\n"
    "    assert [w[-1] for w in window([3, 1, 2])] == [3, 1, 2], 'order'  # O(n * size)\n"
)
SPEED = {"English": ENGLISH, "Chinese": CHINESE, "emoji": EMOJI, "code": CODE}

# ------------------------------------------------------------------ for being right

SCRIPTS = {
    "Latin": "Zażółć gęślą jaźń; Þórður á hjól; Việt Nam đẹp lắm.",
    "Greek": "Η γλώσσα είναι ένα ποτάμι, όχι μια λίμνη.",
    "Cyrillic": "Съешь ещё этих мягких булок; їжак і ґанок.",
    "Armenian": "Բարեւ, աշխարհ։ Լեզուն կամուրջ է։",
    "Georgian": "გამარჯობა, მსოფლიო! ენა ხიდია.",
    "Hebrew": "שָׁלוֹם עוֹלָם, השפה היא גשר.",
    "Arabic": "مَرْحَبًا بِالعَالَم، اللغة جسر بين الناس.",
    "Persian": "سلام دنیا؛ می‌خواهم کتاب‌ها را بخوانم.",
    "Urdu": "ہیلو دنیا، زبان ایک پل ہے۔",
    "Syriac": "ܫܠܡܐ ܥܠܡܐ",
    "Thaana": "ދިވެހި ބަސް",
    "N'Ko": "ߒߞߏ ߞߊ߲ ߞߊ߬ ߘߌ߫",
    "Devanagari": "नमस्ते दुनिया, भाषा एक पुल है। क्षत्रिय",
    "Bengali": "নমস্কার বিশ্ব, ভাষা একটি সেতু।",
    "Gurmukhi": "ਸਤ ਸ੍ਰੀ ਅਕਾਲ ਦੁਨੀਆ",
    "Gujarati": "નમસ્તે દુનિયા, ભાષા એક પુલ છે.",
    "Odia": "ନମସ୍କାର ପୃଥିବୀ",
    "Tamil": "வணக்கம் உலகம், மொழி ஒரு பாலம்.",
    "Telugu": "నమస్కారం ప్రపంచం, భాష ఒక వంతెన.",
    "Kannada": "ನಮಸ್ಕಾರ ಜಗತ್ತು, ಭಾಷೆ ಒಂದು ಸೇತುವೆ.",
    "Malayalam": "നമസ്കാരം ലോകം, ഭാഷ ഒരു പാലമാണ്.",
    "Sinhala": "ආයුබෝවන් ලෝකය, භාෂාව පාලමකි.",
    "Thai": "สวัสดีชาวโลก น้ำใสไหลเย็นเห็นตัวปลา",
    "Lao": "ສະບາຍດີຊາວໂລກ",
    "Tibetan": "བཀྲ་ཤིས་བདེ་ལེགས།",
    "Myanmar": "မင်္ဂလာပါ ကမ္ဘာလောက",
    "Khmer": "សួស្តី​ពិភពលោក",
    "Javanese": "ꦱꦸꦒꦼꦁ ꦫꦮꦸꦃ",
    "Balinese": "ᬅᬓ᭄ᬱᬭ ᬩᬮᬶ",
    "Hangul": "안녕하세요 세계, 언어는 다리입니다. 뷁",
    "Jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "Kana": "こんにちは世界、カタカナとひらがな。ｶﾞｷﾞ",
    "Simplified": "你好,世界。语言是一座桥。",
    "Traditional": "你好,世界。語言是一座橋,龜鬱鑿。",
    "Bopomofo": "ㄋㄧˇ ㄏㄠˇ ㄕˋ ㄐㄧㄝˋ",
    "Yi": "ꆈꌠꁱꂷ ꉬ",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ",
    "Ethiopic": "ሰላም ለዓለም፣ ቋንቋ ድልድይ ነው።",
    "Cherokee": "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
    "Syllabics": "ᐃᓄᒃᑎᑐᑦ ᐅᖃᐅᓯᖅ",
    "Tifinagh": "ⵜⴰⵎⴰⵣⵉⵖⵜ ⵜⵓⵜⵍⴰⵢⵜ",
    "Vai": "ꕙꔤ ꕴꖃ",
    "Ol Chiki": "ᱥᱟᱱᱛᱟᱲᱤ ᱯᱟᱹᱨᱥᱤ",
    "Adlam": "𞤆𞤵𞤤𞤢𞤪 𞤸𞤢𞤣𞤢",
    "Runic": "ᚠᚢᚦᚨᚱᚲ ᛫ ᛋᛏᚨᛁᚾᚨᛉ",
    "Gothic": "𐌲𐌿𐍄𐌹𐍃𐌺𐌰 𐍂𐌰𐌶𐌳𐌰",
    "Deseret": "𐐔𐐯𐑅𐐨𐑉𐐯𐐻",
    "Cuneiform": "𒀭𒂗𒍪 𒈗 𒌷𒀕𒆠",
    "Hieroglyphs": "𓊪𓏏𓎛 𓋹𓍑𓋴",
}

RARE = "鱻龘䨻𠮷𡃁𪚥㐂𬺰𰻞 🦩🫨🪿 ∰⨌⟿ 𝔘𝕟𝖎𝗰𝘰𝙙𝚎 ꙮ ௵ ﷽ 𒐫 𝄞𝄢 ⸘ ℵ₀ ⅷ ﬃ Ǆ ạ̈̊ ʘ ǂ ə̃ ɮ"

JOINED = (
    "👩‍🔬 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ 👍🏽 🧑🏿‍🚀 👩🏻‍❤️‍💋‍👨🏾 🇧🇷🇰🇪🇺🇳 🏴󠁧󠁢󠁳󠁣󠁴󠁿 #️⃣ 1️⃣ ❤️‍🔥 ☎️☎︎ 🐈‍⬛ 🧑‍🤝‍🧑 👁️‍🗨️ é e\u0301 Å A\u030a"
)

REPLACEMENTS = "a\ufffdb \ufffd\ufffd the sign \ufffd stands for 推\ufffd理 \ufffd\n\ufffd"

CONTROLS = "a\x00b\x01\x07\x08c\td\re\r\nf\x0b\x0cg\x1b[31mred\x1b[0m\x7f \x80\x85\x9f\xa0\xad\u200b\u200d\u202eabc\u202c\u2028\u2029\ufeff\ufffe\uffff\U0010ffff  \n\n   \t end"
