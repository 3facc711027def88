"""Takes texts apart into known words, as src/modules/embeddings/known-words.ts does; a test there holds both together."""

import unicodedata

import regex

LONGEST_KEY = 16
DROPPED = regex.compile("[\u0300-\u036f\u0640\u064b-\u0652\u0670]")
RUN = regex.compile(r"[\p{L}\p{M}\p{N}]+")
UNSPACED = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
PART = regex.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")
HAS_UNSPACED = regex.compile(f"[{UNSPACED}]")
BEFORE_CAPITAL = regex.compile(r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})")


def normalize(text):
    text = unicodedata.normalize("NFKD", text).lower()
    return unicodedata.normalize("NFC", DROPPED.sub("", text))


def hash_of(key):
    """FNV-1a over UTF-16 units, 32 bits."""
    value = 2166136261
    units = key.encode("utf-16-le")
    for at in range(0, len(units), 2):
        value = ((value ^ (units[at] | units[at + 1] << 8)) * 16777619) & 0xFFFFFFFF
    return value


class Segmenter:
    """A key is a word; one that begins a word has a space before it."""

    def __init__(self, keys):
        self.rows = {key: row for row, key in enumerate(keys)}
        self.cache = {}

    def rows_of(self, text):
        rows = []
        for run in RUN.findall(text):
            known = self.cache.get(run)
            if known is None:
                known = self.cache[run] = self._of_run(run)
            rows += known
        return rows

    def _of_run(self, run):
        rows = []
        word = normalize(run)
        for part in PART.findall(word):
            row = self.rows.get(" " + part)
            if HAS_UNSPACED.match(part):
                self._longest(part, False, rows)
            elif row is not None:
                rows.append(row)
            else:
                for piece in BEFORE_CAPITAL.split(run) if part == word else [part]:
                    self._longest(normalize(piece), True, rows)
        return rows

    def _longest(self, text, begins, rows):
        at = 0
        while at < len(text):
            own, other = (" ", "") if begins and at == 0 else ("", " ")
            row, end = None, at + 1
            for to in range(min(len(text), at + LONGEST_KEY), at, -1):
                row = self.rows.get(own + text[at:to])
                if row is None:
                    row = self.rows.get(other + text[at:to])
                if row is not None:
                    end = to
                    break
            if row is not None:
                rows.append(row)
            at = end
