"""Makes src/modules/embeddings/words/. Usage: make.py SOURCES WORK OUT; what WORK holds already is not made again."""

import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np

from fit import DIMS, begin, counts_of, fit, without_shared
from pieces import load_pieces
from segment import LONGEST_KEY, Segmenter, hash_of
from teacher import Teacher, unit
from texts import collect

LANGUAGES = "ar bg ca cs da de el en es fi fr he hi hu id it ja ko nl no pl pt ro ru sk sv th tr uk vi zh".split()
SAMPLES = [
    "My dog is afraid of fireworks", "getWeather(city) of GitHub, 2026", "Cafés à Paris", "我对什么药过敏？",
    "Mein Hund hat Angst vor Feuerwerk; die Autoversicherung", "柔道はいつですか", "매운 것을 먹을 수 있나요?",
    "Чем кормить кошку?", "متى موعد طبيب الاسنان؟", "कल मौसम कैसा है",
]


def tell(text):
    print(text, file=sys.stderr, flush=True)


def said_by_teacher(english, work):
    file = work / "english.npy"
    if not file.exists():
        teacher, parts = Teacher(work), []
        for at in range(0, len(english), 4096):
            parts.append(teacher.of_texts(english[at : at + 4096]).astype(np.float16))
            tell(f"{at + len(parts[-1])} of {len(english)} texts")
        np.save(file, np.concatenate(parts))
    return np.load(file).astype(np.float32)


def write(keys, uses, vectors, out):
    """The form that src/modules/embeddings/word-table.ts reads. Of two keys of one hash the more used one stays."""
    rows = {}
    for row in np.argsort(-uses, kind="stable"):
        if len(keys[row]) <= LONGEST_KEY + (keys[row][0] == " ") and np.abs(vectors[row]).max() > 0:
            rows.setdefault(hash_of(keys[row]), row)
    hashes = sorted(rows)
    kept = vectors[[rows[value] for value in hashes]]
    scales = (np.abs(kept).max(1) / 127).astype("<f4")
    numbers = np.round(kept / scales[:, None]).astype(np.int8)
    header = {
        "name": "haft-words", "license": "Apache-2.0 AND MIT", "languages": LANGUAGES, "dims": DIMS, "rows": len(hashes),
    }
    head = json.dumps(header, separators=(",", ":")).encode()
    data = b"haftvec1" + struct.pack("<I", len(head)) + head
    data += np.array(hashes, "<u4").tobytes() + scales.tobytes() + numbers.tobytes()
    (out / "words.bin").write_bytes(data)
    small = np.zeros_like(vectors)
    small[[rows[value] for value in hashes]] = numbers * scales[:, None]
    return hashlib.sha256(data).hexdigest(), small


def main(sources, work, out):
    work.mkdir(parents=True, exist_ok=True)
    english, translations = collect(sources)
    tell(f"{len(english)} English texts, {len(translations)} translations")
    keys, uses, by_e5, minilm, tokens = load_pieces(work)
    tell(f"{len(keys)} words and parts of words")
    said = said_by_teacher(english, work)
    begun, wanted = begin(keys, uses, by_e5, minilm, tokens, said)
    np.save(work / "begun.npy", begun)
    vectors = without_shared(fit(begun, keys, english, translations, wanted, tell))
    digest, small = write(keys, uses, vectors, out)
    samples = unit(counts_of(SAMPLES, Segmenter(keys)) @ small)
    about = {
        "sha256": digest,
        "dims": DIMS,
        "samples": {text: [round(float(number), 6) for number in vector[:4]] for text, vector in zip(SAMPLES, samples)},
    }
    (out / "words.json").write_text(json.dumps(about, ensure_ascii=False, indent=2) + "\n")
    tell(f"words.bin has the digest {digest}, which packaged-model.ts names")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
