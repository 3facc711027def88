import type { Entry } from "../../modules/sessions/index.ts";
import { describeCallEnd } from "./call-line.ts";

/** An entry of a session as people read it, each call on one line. Empty for an entry that says nothing to people. */
export function describeEntry(entry: Entry): string {
  switch (entry.kind) {
    case "user":
      return `\n${entry.sender ?? "you"}: ${listTexts(entry.parts)}`;
    case "answer": {
      const text = listTexts(entry.message.parts);
      return text === "" ? "" : `\n${text}`;
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
