"""English texts that the vectors are fitted over, and translations of them, from the sources that README.md names."""

import collections
import gzip
import itertools
import json
import random
import re

LANGUAGES = (
    "ar bg bn ca cs da de el es et fa fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv ta th tr uk "
    "ur vi zh zh-Hant sw"
).split()


def clean(text):
    return re.sub(r"\s+", " ", text).strip()


def stanzas(path):
    """Of a file in the form of Debian's package lists."""
    stanza, key = {}, None
    for line in path.open(encoding="utf8", errors="replace"):
        if line == "\n":
            if stanza:
                yield stanza
            stanza, key = {}, None
        elif line[0] == " ":
            if key:
                stanza[key] += "\n" + line[1:].rstrip("\n")
        else:
            key, _, value = line.partition(":")
            stanza[key] = value.strip()
    if stanza:
        yield stanza


def without_note(title):
    return re.sub(r" [(（].*[)）]$", "", title)


def title_and_body(text):
    title, _, body = text.partition("\n")
    return clean(title), clean(body.split("\n.\n")[0])


def first_sentence(text):
    return re.split(r"(?<=[.!?])\s|(?<=[。])", text)[0]


class Texts:
    def __init__(self):
        self.english = {}
        self.translations = collections.defaultdict(set)

    def add(self, text, language=None, translation=None):
        self.english.setdefault(text)
        if translation:
            self.translations[text].add((language, translation))


def add_debian(texts, folder):
    """Short descriptions of packages, and the first sentence of the long ones."""
    described = {}
    for stanza in stanzas(folder / "Translation-en"):
        if "Description-en" in stanza:
            described[stanza["Description-md5"]] = title_and_body(stanza["Description-en"])
    is_title = lambda title: 12 < len(title) < 120
    is_sentence = lambda text: 20 < len(text) < 220 and text[0] not in "-*"
    for title, body in described.values():
        if is_title(title):
            texts.add(without_note(title))
        if is_sentence(first_sentence(body)):
            texts.add(first_sentence(body))
    for path in sorted(folder.glob("Translation-*")):
        language = path.name.removeprefix("Translation-")
        for stanza in stanzas(path) if language != "en" else ():
            translated = next((value for key, value in stanza.items() if key == f"Description-{language}"), None)
            source = described.get(stanza.get("Description-md5"))
            if not translated or not source:
                continue
            (title, body), (own_title, own_body) = source, title_and_body(translated)
            if own_title != title and is_title(title):
                texts.add(without_note(title), language, without_note(own_title))
            sentence, own = first_sentence(body), first_sentence(own_body)
            if is_sentence(sentence) and own_body != body and 0.3 < len(own) / len(sentence) < 2:
                texts.add(sentence, language, own)


def add_appstream(texts, path):
    """Names and summaries of programs. The file is plain enough to be read by its lines."""
    field, values, last = False, {}, None
    for line in gzip.open(path, "rt", encoding="utf8"):
        if line[0] != " ":
            english = clean(values.pop("C", ""))
            if 4 < len(english) < 160:
                for language, text in values.items():
                    texts.add(english, language, clean(text))
            field, values, last = re.match(r"^(Name|Summary):$", line), {}, None
        elif field and (match := re.match(r"^  ([A-Za-z_@]+): (.*)$", line.rstrip("\n"))):
            last, text = match[1], match[2]
            text = "" if text in (">-", "|-", ">", "|") else text
            values[last] = text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
        elif field and last and line.startswith("    "):
            values[last] += " " + line.strip().strip("'\"")


def annotations(folders, language):
    found = {}
    for folder, name in zip(folders, ("annotations", "annotationsDerived")):
        path = folder / name / language / "annotations.json"
        if path.exists():
            (data,) = json.loads(path.read_text()).values()
            for sign, said in data["annotations"].items():
                if not any(0x1F3FB <= ord(letter) <= 0x1F3FF for letter in sign):
                    found[sign] = said.get("tts", [""])[0], ", ".join(said.get("default", []))
    return found


def add_cldr(texts, folders):
    """The names of signs, and words for what they show."""
    english = annotations(folders, "en")
    for language in LANGUAGES:
        for sign, said in annotations(folders, language).items():
            for own, translated in zip(english.get(sign, ()), said):
                if own and translated:
                    texts.add(own, language, translated)


def wordnet(folder):
    """Examples, and words with what they mean."""
    examples, meanings = [], []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").open(encoding="latin1"):
            if line[0] == " ":
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            words = [fields[4 + 2 * at].replace("_", " ") for at in range(int(fields[3], 16))]
            words = [re.sub(r"\(.*\)$", "", word) for word in words]
            if words[0][0].islower():
                examples += [text for text in re.findall(r'"([^"]+)"', gloss) if 12 < len(text) < 150]
                meaning = clean(re.split(r';\s*"', gloss)[0])
                meanings.append((", ".join(words[:3]) + ": " + meaning)[:160])
    return examples, meanings


def collect(sources):
    """English texts, and [the number of one, a language, its translation]."""
    texts = Texts()
    add_debian(texts, sources / "debian")
    add_appstream(texts, sources / "debian" / "Components-amd64.yml.gz")
    add_cldr(texts, [sources / "cldr", sources / "cldr-derived"])
    examples, meanings = wordnet(sources / "wordnet")
    translated = [text for text in texts.english if text in texts.translations]
    others = [text for text in texts.english if text not in texts.translations]
    dice = random.Random(7)
    for some in (translated, others, examples, meanings):
        dice.shuffle(some)
    translated.sort(key=lambda text: -len(texts.translations[text]))
    pools = [translated[:26000], examples[:34000], meanings[:16000], others[:8000]]
    english = list(dict.fromkeys(itertools.chain(*pools)))
    return english, [
        [number, language, text]
        for number, own in enumerate(english)
        for language, text in sorted(texts.translations.get(own, ()))
    ]
