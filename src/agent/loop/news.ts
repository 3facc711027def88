import type { MaybePromise } from "../../base/index.ts";
import type { NewEntry, NoteEntry } from "../../modules/sessions/index.ts";
import { countEntry } from "../compaction/size.ts";
import type { AgentEvent } from "./events.ts";
import type { Journal, Prefix } from "./journal.ts";

/** Changes that the model does not know of. */
export interface News {
  /** Appended to the conversation. */
  readonly notes: readonly NewsNote[];
  /** The prefix of a new epoch, if that costs less than notes. */
  readonly prefix?: Prefix;
}

/** A note that tells of a change. */
export interface NewsNote extends NoteEntry, Pick<NewEntry, "trust" | "private"> {}

/** The subjects of notes that only the model needs. */
const quiet: ReadonlySet<string> = new Set(["project", "time"]);

/** Tells what is new around a conversation: the time, instructions, memory, tools. */
export interface NewsSource {
  /** Called once, before anything is asked or called: the process may go on where another stopped. */
  resume(journal: Journal): Promise<void>;
  /** What is new. Called before each request. */
  find(journal: Journal): Promise<News>;
  /** The reason why a tool that the model was shown can't be found; undefined for a tool that it was not. */
  explainGone(journal: Journal, toolName: string): string | undefined;
}

/** What {@link tellNews} works with. */
export interface NewsParts {
  readonly journal: Journal;
  /** @default there is never anything new */
  readonly news?: NewsSource;
  readonly emit: (event: AgentEvent) => void;
}

/** Appends what is new. Call it just before a request: a note after a final answer would make the run go on. */
export function tellNews(parts: NewsParts): MaybePromise<void> {
  return parts.news && tellFound(parts, parts.news.find(parts.journal));
}

async function tellFound({ journal, emit }: NewsParts, found: Promise<News>): Promise<void> {
  const { notes, prefix } = await found;
  if (notes.length === 0 && prefix === undefined) return;
  await journal.write({
    entries: notes.map((note) => ({ ...note, tokens: countEntry(note) })),
    ...(prefix !== undefined && { prefix }),
  });
  for (const { about, text } of notes) if (!quiet.has(about)) emit({ type: "note", about, text });
}
