import { cutHead, oneLine } from "../../base/index.ts";

/** What a description says first, in one line of at most so many characters. */
export function firstSentence(description: string, most = 160): string {
  const paragraph = oneLine(description.trim().split(/\n\s*\n/, 1)[0] as string);
  const sentence = sentenceStart.exec(paragraph)?.[0] ?? paragraph;
  return sentence.length <= most ? sentence : `${cutHead(sentence, most - 1).trimEnd()}…`;
}

/** A point inside a word, or of an abbreviation, ends nothing. */
const sentenceStart = /^.*?(?:(?<!\b(?:e\.g|i\.e|etc|vs|approx|incl|no))[.!?](?=\s|$)|[。！？])/u;
