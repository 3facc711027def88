import { cutHead } from "../../base/index.ts";
import type { Entry } from "../../modules/sessions/index.ts";
import { describeCall, describeCallEnd } from "./call-line.ts";

/** An entry of a session as people read it, each call on one line. Empty for an entry that says nothing to people. */
export function describeEntry(entry: Entry): string {
  switch (entry.kind) {
    case "user":
      return `\n${entry.sender ?? "you"}: ${listTexts(entry.parts)}`;
    case "answer": {
      const { parts } = entry.message;
      const text = listTexts(parts);
      const calls = parts.flatMap((part) =>
        part.type === "call" ? [`  ${describeCall(part.name, part.input)}`] : [],
      );
      return [...(text === "" ? [] : [`\n${text}`]), ...calls].join("\n");
    }
    case "result":
      return `  ${describeCallEnd(entry).line}`;
    case "note":
      return `  (${shorten(entry.text)})`;
    case "summary":
      return `\n--- what came before, summed up ---\n${entry.text}\n---`;
    case "interrupt":
      return `  interrupted by ${entry.sender}`;
    case "parked":
      return `  (${entry.callId === undefined ? "" : `the call ${entry.callId} `}waited for ${entry.waitFor})`;
    case "prune":
      return "";
    default:
      return entry satisfies never;
  }
}

/** The most characters of a text that the end of a conversation shows. */
const mostShown = { said: 400, answered: 1_500 } as const;

/** The last message of a person and the last answer, as a reminder of where a conversation stands. */
export function describeLastTurn(entries: readonly Entry[]): string {
  const at = Math.max(
    0,
    entries.findLastIndex(({ kind }) => kind === "user"),
  );
  const texts = entries.slice(at).flatMap((entry) => {
    if (entry.kind === "user") return [`you: ${cutTo(listTexts(entry.parts), mostShown.said)}`];
    const text = entry.kind === "answer" ? listTexts(entry.message.parts) : "";
    return text === "" ? [] : [cutTo(text, mostShown.answered)];
  });
  return (texts.length > 2 ? [texts[0], "…", texts.at(-1)] : texts).join("\n");
}

function cutTo(text: string, most: number): string {
  return text.length <= most ? text.trim() : `${cutHead(text, most).trimEnd()} …`;
}

function listTexts(parts: readonly { readonly type: string }[]): string {
  return parts
    .map((part) => {
      if (part.type === "text" && "text" in part) return String(part.text);
      return part.type === "image" ? "[picture]" : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}

function shorten(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= 160 ? line : `${line.slice(0, 160)}…`;
}
