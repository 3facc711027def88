import { measureView, type Prefix, type ViewSize } from "../../agent/index.ts";
import { cutHead } from "../../base/index.ts";
import type { Trust } from "../../kernel/index.ts";
import type { Entry, RunState, Session } from "../../modules/sessions/index.ts";
import type { Store } from "../store/open-store.ts";

/** An entry as a model is shown it. */
export interface ShownEntry {
  readonly seq: number;
  readonly kind: Entry["kind"];
  readonly at: number;
  readonly trust: Trust;
  readonly tokens: number;
  /** Its text, or the beginning of a long one. */
  readonly text: string;
}

/** What the agent of a session is shown, with the sizes of the parts in tokens. */
export interface SessionView {
  readonly sizes: ViewSize;
  readonly entries: readonly ShownEntry[];
  /** The newest run. Undefined before the first. */
  readonly run:
    | {
        readonly id: string;
        readonly state: RunState;
        readonly why?: string;
        readonly content?: string;
        readonly turns: number;
      }
    | undefined;
}

const mostEntryChars = 4_000;

/** Describes what a model is shown in a session. */
export async function describeView(
  { sessions, runs }: Pick<Store, "sessions" | "runs">,
  { scope, id, epoch: n }: Session,
): Promise<SessionView> {
  const [entries, epoch, found] = await Promise.all([
    sessions.shown(scope, id),
    sessions.epoch(scope, id, n),
    runs.list({ scope, sessionId: id, limit: 10 }),
  ]);
  const run = found.find(({ kind }) => kind !== "reflect");
  return {
    // Epochs are JSON that only the agent writes.
    sizes: measureView(entries, epoch?.prefix as Prefix | undefined),
    entries: entries.map((entry) => {
      const { seq, kind, at, trust, tokens } = entry;
      return { seq, kind, at, trust, tokens, text: cutHead(readEntryText(entry), mostEntryChars) };
    }),
    run: run && {
      id: run.id,
      state: run.state,
      ...(run.why !== undefined && { why: run.why }),
      ...(run.result !== undefined && { content: run.result }),
      turns: run.steps,
    },
  };
}

function readEntryText(entry: Entry): string {
  switch (entry.kind) {
    case "user":
      return entry.parts.map((part) => (part.type === "text" ? part.text : "(a picture)")).join("\n");
    case "answer":
      return entry.message.parts
        .flatMap((part) => {
          if (part.type === "call") return [`${part.name} ${part.input}`];
          return part.type === "text" ? [part.text] : [];
        })
        .join("\n");
    case "result":
    case "note":
    case "summary":
      return entry.text;
    case "parked":
      return `waits for ${entry.waitFor}`;
    case "interrupt":
      return `interrupted by ${entry.sender}`;
    case "prune":
      return `results before entry ${entry.before} are shown as one line each`;
    default:
      return entry satisfies never;
  }
}
