import { readFileSync } from "node:fs";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { estimateTokens } from "./tokens.ts";

const catalogue = JSON.parse(readFileSync("src/app/catalogue.json", "utf8")) as Record<
  string,
  { name: string; description: string; parameters: object }[]
>;
const definitions = Object.values(catalogue)
  .flat()
  .map(({ name, description, parameters }) => ({ name, description, parameters }));

function ratio(texts: readonly string[]): number {
  const sum = (of: (text: string) => number) => texts.reduce((total, text) => total + of(text), 0);
  return sum(estimateTokens) / sum(countTokens);
}

describe("estimateTokens()", () => {
  test("is within a twentieth of o200k_base for our catalogue, and a sixth for each definition in it", () => {
    const texts = definitions.map((definition) => JSON.stringify(definition));
    expect(texts.length).toBeGreaterThan(30);
    expect(Math.abs(ratio(texts) - 1)).toBeLessThan(0.05);
    for (const text of texts) expect(Math.abs(ratio([text]) - 1), text.slice(0, 40)).toBeLessThan(1 / 6);
  });

  test("counts a text word by word as it counts it at once", () => {
    const piece = fc.constantFrom(
      "a",
      "word",
      "Word",
      "WORDS",
      "A",
      "1",
      "1234",
      " ",
      "  ",
      "\n",
      "\t\t",
      '":{"',
      "-",
      "\0",
      "\x1f",
      "é",
      "É",
      "…",
      "漢字",
      "½",
      "😀",
      "\u0301",
    );
    const text = fc.array(fc.oneof(piece, fc.string({ unit: "binary-ascii" })), { maxLength: 30 });
    fc.assert(
      fc.property(text, (pieces) => {
        const whole = `${pieces.join("")}a`;
        // With a blank beyond ASCII, which costs nothing alone, a text is not cut into words.
        expect(estimateTokens(`${whole}\u00a0`)).toBe(estimateTokens(whole));
      }),
      { numRuns: 5_000 },
    );
  });

  test("holds for JSON written over several lines, and for prose", () => {
    expect(Math.abs(ratio(definitions.map((one) => JSON.stringify(one, undefined, 2))) - 1)).toBeLessThan(
      0.05,
    );
    expect(Math.abs(ratio(definitions.map(({ description }) => description)) - 1)).toBeLessThan(0.05);
  });

  test.each([
    [
      "Chinese",
      "搜索文件内容，返回匹配的行及其行号。可以使用正则表达式，也可以限制结果数量。若文件过大，则只返回前一部分。",
    ],
    [
      "Japanese",
      "ファイルの内容を検索し、一致した行と行番号を返します。カレンダーに新しい会議を作成し、参加者全員を招待します。",
    ],
    [
      "Korean",
      "파일 내용을 검색하여 일치하는 줄과 줄 번호를 반환합니다. 캘린더에 새 회의를 만들고 모든 참석자를 초대합니다.",
    ],
    [
      "Russian",
      "Ищет текст в файлах и возвращает совпавшие строки с их номерами. Можно использовать регулярные выражения.",
    ],
    [
      "German",
      "Durchsucht Dateien nach einem regulären Ausdruck und gibt die gefundenen Zeilen mit ihren Nummern zurück.",
    ],
    ["Arabic", "يبحث في محتوى الملفات ويعيد الأسطر المطابقة مع أرقامها."],
    ["Hindi", "फ़ाइलों की सामग्री खोजता है और मिलान वाली पंक्तियाँ लौटाता है।"],
    ["base64", Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 7919) % 256)).toString("base64")],
  ])("is within a quarter for %s", (_language, text) => {
    expect(Math.abs(ratio([text]) - 1)).toBeLessThan(0.25);
  });

  test("is nothing for no text, and grows with it", () => {
    expect(estimateTokens("")).toBe(0);
    expect(estimateTokens("a")).toBe(1);
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const both = estimateTokens(`${one} ${other}`);
        expect(both).toBeGreaterThanOrEqual(Math.max(estimateTokens(one), estimateTokens(other)) - 1);
        expect(both).toBeLessThanOrEqual(estimateTokens(one) + estimateTokens(other) + 1);
      }),
    );
  });
});
