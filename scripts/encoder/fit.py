"""Fits a vector a key, so that those of a text's words, added up, point where the teacher points for the text."""

import re

import numpy as np
from scipy import sparse

from segment import Segmenter
from teacher import unit

DIMS = 128
# A word counts by rarity / (rarity + how often it is used).
RARITY = 1e-3
RIDGE = 0.03
ROUNDS, BATCH, STEP = 3, 1024, 0.01
# How much of the fitted vectors, the rest being those that were begun with: so they hold on texts of another kind.
FITTED = 0.65
# Of the translations of a text so many are taken: of the languages that are asked in most, and of others.
MAIN = set("de fr es it pt pt_BR ru ja ko zh zh_CN ar hi tr nl pl uk".split())
MOST_MAIN, MOST_OTHERS = 16, 3
TEMPERATURE = 0.05
# What nearly all words have in common says nothing of any of them: so many directions are taken off.
SHARED = 5


def begin(keys, uses, by_e5, minilm, tokens, said):
    """English words have the teacher's own vectors, others those of e5, turned into its space by the words that both have."""
    mean = said.mean(0)
    centred = tokens - tokens.mean(0)
    spread = (said - mean).T @ (said - mean) / len(said) + 0.5 * centred.T @ centred / len(centred)
    basis = np.linalg.eigh(spread)[1][:, ::-1][:, :DIMS]
    own = centred @ basis
    known = np.abs(by_e5).sum(1) > 0
    by_e5 = np.where(known[:, None], by_e5 - by_e5[known].mean(0), 0)
    both = [row for row, key in enumerate(keys) if known[row] and key in minilm and re.fullmatch(" [a-z]{3,}", key)]
    theirs, ours = by_e5[both], own[[minilm[keys[row]] for row in both]]
    ridge = RIDGE * len(both) / 10000 * 1000 / 384
    turn = np.linalg.solve(theirs.T @ theirs + ridge * np.eye(384), theirs.T @ ours)
    vectors = unit(by_e5 @ turn) * np.linalg.norm(ours, axis=1).mean()
    for row, key in enumerate(keys):
        if key in minilm and re.fullmatch("[ a-z0-9]+", key):
            vectors[row] = own[minilm[key]]
    weights = RARITY / (RARITY + uses)
    return (vectors * weights[:, None]).astype(np.float32), unit((said - mean) @ basis)


def counts_of(texts, segmenter):
    numbers, ends = [], [0]
    for text in texts:
        numbers += segmenter.rows_of(text)
        ends.append(len(numbers))
    ones = np.ones(len(numbers), np.float32)
    return sparse.csr_matrix((ones, np.array(numbers, np.int32), np.array(ends)), shape=(len(texts), len(segmenter.rows)))


def chosen(english, translations):
    """Texts, and the number of the English one that each says the same as."""
    dice = np.random.default_rng(1)
    texts, targets = list(english), list(range(len(english)))
    by_text = {}
    for number, language, text in translations:
        by_text.setdefault(number, []).append((language, text))
    for number, some in by_text.items():
        main = [text for language, text in some if language in MAIN]
        others = [text for language, text in some if language not in MAIN]
        dice.shuffle(main)
        taken = main[:MOST_MAIN] + others[:MOST_OTHERS]
        texts += taken
        targets += [number] * len(taken)
    return texts, np.array(targets)


def softmax(scores):
    scores = np.exp((scores - scores.max(1, keepdims=True)) / TEMPERATURE)
    return scores / scores.sum(1, keepdims=True)


def gradient(own, wanted):
    """Each text is to lie where the teacher puts it, and among the others of its batch as it lies in the teacher's space."""
    length = np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-6)
    near = own / length
    away = (softmax(near @ wanted.T) - softmax(wanted @ wanted.T)) @ wanted - 0.5 * wanted
    return (away - (away * near).sum(1, keepdims=True) * near) / length


def fit(begun, keys, english, translations, wanted, tell):
    texts, targets = chosen(english, translations)
    counts = counts_of(texts, Segmenter(keys))
    some = np.diff(counts.indptr) > 0
    counts, targets = counts[some], targets[some]
    vectors, scale = begun.copy(), np.abs(begun).mean()
    first, second = np.zeros_like(begun), np.zeros_like(begun)
    dice = np.random.default_rng(3)
    steps, step = ROUNDS * -(-len(targets) // BATCH), 0
    for _ in range(ROUNDS):
        order = dice.permutation(len(targets))
        for at in range(0, len(order), BATCH):
            batch = order[at : at + BATCH]
            part = counts[batch]
            rows, place = np.unique(part.indices, return_inverse=True)
            part = sparse.csr_matrix((part.data, place, part.indptr), shape=(len(batch), len(rows)))
            slope = (part.T @ gradient(part @ vectors[rows], wanted[targets[batch]])) * scale
            first[rows] = 0.9 * first[rows] + 0.1 * slope
            second[rows] = 0.99 * second[rows] + 0.01 * slope * slope
            vectors[rows] -= STEP * 10 * scale * (1 - step / steps) * first[rows] / (np.sqrt(second[rows]) + 1e-8)
            step += 1
        tell(f"{step} of {steps} steps, {len(targets)} texts")
    return FITTED * vectors + (1 - FITTED) * begun * np.linalg.norm(vectors) / np.linalg.norm(begun)


def without_shared(vectors):
    """The vectors without the directions that most of them share (Mu and Viswanath, "All-but-the-Top", 2018)."""
    each = unit(vectors)
    shared = np.linalg.eigh(each.T @ each)[1][:, ::-1][:, :SHARED]
    return (vectors - vectors @ shared @ shared.T).astype(np.float32)
