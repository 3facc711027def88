import { parseJson } from "../../base/index.ts";
import type { Trust } from "../policy/trust.ts";

/** Something that a model was shown before and is shown again, perhaps by another process. */
export type Seen = SeenMessage | SeenCall | SeenText;

/** A message of a person. A trusted one counts as given by the user. */
export interface SeenMessage {
  readonly kind: "message";
  /** Names the message where data of it is found again. */
  readonly callId: string;
  /** The sender, or the channel. */
  readonly toolName: string;
  readonly text: string;
  readonly trust: Trust;
}

/** The arguments of a call that was made. */
export interface SeenCall {
  readonly kind: "call";
  readonly callId: string;
  readonly toolName: string;
  readonly params: unknown;
  /** The trust of the context that the call was made with. */
  readonly trust: Trust;
}

/** The result of a call, a memory, a summary, or any other text. */
export interface SeenText {
  readonly kind: "text";
  readonly callId: string;
  readonly toolName: string;
  readonly text: string;
  readonly trust: Trust;
  /** Whether it may hold what was read or worked out on this machine. */
  readonly private: boolean;
  /** The hosts that the text came from. @default none */
  readonly hosts?: readonly string[];
}

/** The text of a result as a model read it, read as data only once that is needed. */
export class ShownText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The text, or its beginning and the data whose JSON the rest is: JSON would hide the ends of the texts in it. */
  read(): readonly unknown[] {
    const start = this.text.search(/^[[{]/m);
    const data = start < 0 ? undefined : parseJson(this.text.slice(start));
    return data === undefined ? [this.text] : [this.text.slice(0, start), data];
  }
}

/** About as much text as all pieces that are remembered come from: reading more would only have it forgotten. */
const mostChars = 1_500_000;

/** The same without the older texts, as far as there are more than can be remembered. That there was one from outside is kept. */
export function withoutForgotten(seen: readonly Seen[]): readonly Seen[] {
  let left = mostChars;
  const kept: Seen[] = [];
  for (const one of seen.toReversed()) {
    if (one.kind === "text") left -= one.text.length;
    if (one.kind !== "text" || left >= 0) kept.push(one);
    else if (one.trust === "untrusted") kept.push({ ...one, text: "" });
  }
  return kept.reverse();
}
