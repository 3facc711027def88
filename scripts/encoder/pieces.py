"""Words and parts of words: those of multilingual-e5-small's vocabulary and of MiniLM's, with how often each is used and what both models say of it."""

import collections
import ctypes
import json
import math
import re
import struct
import subprocess
import unicodedata
from pathlib import Path

import numpy as np

from segment import HAS_UNSPACED, RUN, normalize
from teacher import E5_FOLDER, Teacher, unit

# How many of a script, the most used first: those that begin a word (+), and others.
MOST = {
    "LATIN+": 48000, "LATIN": 14000, "CYRILLIC+": 13000, "CYRILLIC": 5000, "CJK": 16500, "ARABIC+": 6500,
    "ARABIC": 2500, "DEVANAGARI+": 4500, "DEVANAGARI": 1200, "HANGUL": 2700, "HANGUL+": 2400, "HIRAGANA": 1600,
    "KATAKANA": 724, "none+": 754, "none": 1200, "GREEK+": 1500, "HEBREW+": 1500, "THAI": 2000,
}
# What e5 does not know as one piece is rare.
RARE = 1e-7


def script_of(key):
    for letter in key.strip():
        if unicodedata.category(letter)[0] == "L":
            return unicodedata.name(letter, "?").split()[0].split("-")[0]
    return "none"


def e5_pieces():
    """The pieces of its SentencePiece vocabulary, with the logarithm of how often each is used."""
    data = (E5_FOLDER / "e5-small-q4.bin").read_bytes()
    at = 8 + 7 * 4 + 4 + 4
    (count,) = struct.unpack_from("<i", data, at)
    at += 20 + 8
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    texts = [data[at + offsets[i] : at + offsets[i + 1]].decode("utf8", "replace") for i in range(count)]
    return list(zip(texts, scores.tolist()))[4:]


def e5_keys():
    uses = collections.defaultdict(float)
    for text, score in e5_pieces():
        begins = text.startswith("▁")
        key = normalize(text[1:] if begins else text)
        if key and all(unicodedata.category(letter)[0] in "LMN" for letter in key):
            uses[(" " if begins and not HAS_UNSPACED.search(key) else "") + key] += math.exp(score)
    taken = collections.Counter()
    keys = {}
    for key in sorted(uses, key=lambda key: (-uses[key], key)):
        kind = script_of(key) + ("+" if key[0] == " " else "")
        taken[kind] += 1
        if taken[kind] <= MOST.get(kind, 0):
            keys[key] = uses[key]
    return keys


def minilm_keys(teacher):
    """By key, the number of MiniLM's token."""
    keys = {}
    for token, number in sorted(teacher.tokenizer.get_vocab().items(), key=lambda item: item[1]):
        if token.startswith("["):
            continue
        key = normalize(token[2:]) if token.startswith("##") else normalize(token)
        if not token.startswith("##") and not HAS_UNSPACED.search(key):
            key = " " + key
        if RUN.fullmatch(key.strip() or "?"):
            keys.setdefault(key, number)
    return keys


def embed_by_e5(words, work):
    """The package's own C source, compiled so that it puts no prefix before a word."""
    source = (E5_FOLDER / "e5.c").read_text().replace('"query: "', '""')
    (work / "e5.c").write_text(source)
    flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]
    library = work / "libe5.so"
    subprocess.run(
        ["gcc", *flags, f"-I{E5_FOLDER}", "-o", str(library), str(work / "e5.c"), "-lm"], check=True
    )
    lib = ctypes.CDLL(str(library))
    lib.e5_load.restype = ctypes.c_void_p
    lib.e5_load.argtypes = [ctypes.c_char_p]
    lib.e5_embed_batch.argtypes = [
        ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_float),
    ]
    model = lib.e5_load(str(E5_FOLDER / "e5-small-q4.bin").encode())
    out = np.zeros((len(words), 384), np.float32)
    for at in range(0, len(words), 512):
        some = words[at : at + 512]
        texts = (ctypes.c_char_p * len(some))(*[word.encode() for word in some])
        part = np.zeros((len(some), 384), np.float32)
        lib.e5_embed_batch(model, texts, len(some), 1, part.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))
        out[at : at + len(some)] = part
    return out


def load_pieces(work: Path):
    """Keys, how often each is used, what e5 says of each (none: zeros), and what MiniLM says of its own."""
    teacher = Teacher(work)
    e5, minilm = e5_keys(), minilm_keys(teacher)
    own = [key for key in minilm if key not in e5 and re.fullmatch("[ a-z0-9]+", key)]
    keys = [*e5, *own]
    words = sorted({key.strip() for key in e5})
    file = work / "e5-words.npy"
    if not file.exists():
        np.save(file, embed_by_e5(words, work).astype(np.float16))
    said = np.load(file).astype(np.float32)
    at = {word: row for row, word in enumerate(words)}
    rows = np.array([at.get(key.strip(), -1) if key in e5 else -1 for key in keys])
    by_e5 = np.where(rows[:, None] >= 0, said[rows], 0)
    file = work / "minilm-tokens.npy"
    if not file.exists():
        np.save(file, teacher.of_tokens().astype(np.float16))
    tokens = unit(np.load(file).astype(np.float32))
    uses = np.array([e5.get(key, RARE) for key in keys])
    (work / "keys.json").write_text(json.dumps(keys, ensure_ascii=False))
    return keys, uses, by_e5, {key: minilm[key] for key in keys if key in minilm}, tokens
