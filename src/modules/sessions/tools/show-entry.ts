import { cutHead } from "../../../base/index.ts";
import type { EntryContent } from "../store/entries.ts";

/** One line of a conversation that is shown again. */
export interface ShownLine {
  /** Who says it. */
  readonly from: string;
  readonly text: string;
}

/** The longest arguments and results that are shown. */
const mostChars = 300;

/** Shows an entry to a reader: messages as they are, calls and results in one line each. */
export function showEntry(entry: EntryContent): readonly ShownLine[] {
  switch (entry.kind) {
    case "user":
      return [
        {
          from: entry.sender ?? "user",
          text: entry.parts.map((part) => (part.type === "text" ? part.text : "[a picture]")).join("\n"),
        },
      ];
    case "answer":
      return entry.message.parts.flatMap((part) => {
        if (part.type === "text") return part.text.trim() === "" ? [] : [{ from: "agent", text: part.text }];
        return part.type === "call" ? [{ from: "call", text: `${part.name} ${toLine(part.input)}` }] : [];
      });
    case "result": {
      const how = entry.failed ? `failed${entry.code === undefined ? "" : ` [${entry.code}]`}` : "came off";
      const kept =
        entry.artifactId === undefined ? "" : ` (artifact_read has all of it as ${entry.artifactId})`;
      return [{ from: "result", text: `${entry.name} ${how}: ${toLine(entry.text)}${kept}` }];
    }
    case "note":
      return [{ from: `note about ${entry.about}`, text: entry.text }];
    case "summary":
      return [{ from: "summary", text: entry.text }];
    case "interrupt":
      return [{ from: "interrupted", text: `by ${entry.sender}` }];
    case "parked":
      return [{ from: "parked", text: `until ${entry.waitFor}` }];
    case "prune":
      return [];
    default:
      return entry satisfies never;
  }
}

function toLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= mostChars ? line : `${cutHead(line, mostChars)}…`;
}
