import { basename } from "node:path";
import { Argument, type Command } from "commander";
import type { App } from "../../app/index.ts";
import { deleteSession, findCurrentRun, findReflection, listConversations } from "../../app/views/index.ts";
import type { Session as Conversation, Runs, Sessions } from "../../modules/sessions/index.ts";
import { confirm } from "../asking/confirm.ts";
import { findConversation } from "../chat/conversations.ts";
import { describeEntry } from "../chat/describe-entry.ts";
import { describeReflection } from "../chat/describe-reflection.ts";
import { describeRun, describeState } from "../chat/run-state.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { toNumber } from "../options/whole-number.ts";
import type { Session } from "../session.ts";
import { formatSpan } from "../text/span.ts";
import { renderTable } from "../text/table.ts";

const actions = ["list", "show", "export", "fork", "rename", "delete"] as const;
type Action = (typeof actions)[number];

interface SessionsOptions {
  readonly limit?: number;
  readonly upTo?: number;
  readonly all?: boolean;
  readonly yes?: boolean;
}

const scope = "local";

export function defineSessions(command: Command, session: Session): void {
  command
    .addArgument(new Argument("[action]", "what to do").choices(actions).default("list"))
    .argument("[id]", "the session, or the beginning of its id")
    .argument("[title...]", "with rename: its new title")
    .option("--all", "with list: those in which agents work on tasks or look back on them, too")
    .option("--limit <n>", "at most so many (default: 20)", toNumber(1, 1000))
    .option(
      "--up-to <n>",
      "with fork: the last entry that the copy has (default: all)",
      toNumber(1, 1_000_000_000),
    )
    .option("-y, --yes", "with delete: do not ask")
    .action(
      async (action: Action, id: string | undefined, title: readonly string[], options: SessionsOptions) => {
        const app = await session.openApp({ sources: "none" });
        const store = await app.store();
        if (action === "list") return list(session, app, options);
        const found = await findConversation(store.sessions, id);
        return actOn[action](session, { ...store, app }, found, { ...options, title: title.join(" ") });
      },
    );
  addExamples(command, [
    ["haft sessions", "the conversations, the newest first"],
    ["haft sessions --all", "those of tasks and reflections, too"],
    ["haft sessions show s_4k2", "what was said and done in one"],
    ["haft sessions export s_4k2 > talk.jsonl", "its entries, one JSON line each"],
    ["haft sessions fork s_4k2 --up-to 12", "a copy of its beginning, that goes its own way"],
    ["haft sessions delete s_4k2", "away with it, for good"],
  ]);
}

/** The parts of the store that keep conversations. */
interface SessionStore {
  readonly app: App;
  readonly sessions: Sessions;
  readonly runs: Runs;
}

async function list(session: Session, app: App, { limit = 20, all = false }: SessionsOptions): Promise<void> {
  const { runs } = await app.store();
  const found = await Promise.all(
    (await listConversations(app, { limit: session.asJson ? limit : limit + 1, all })).map(async (one) => ({
      ...one,
      run: await findCurrentRun(runs, one),
    })),
  );
  const { terminal } = session;
  if (session.asJson) return terminal.json(found.map((one) => ({ ...one, run: one.run ?? null })));
  if (found.length === 0) {
    terminal.err('There are no conversations yet: `haft run "…"` and `haft chat` begin one\n');
    return;
  }
  const now = Date.now();
  terminal.out(
    renderTable(
      [
        { title: "Id", whole: true },
        { title: "Agent" },
        ...(all ? [{ title: "Channel" }] : []),
        { title: "Entries", align: "right" },
        { title: "Last" },
        { title: "Folder" },
        { title: "State" },
        { title: "Title", overflow: "cut" },
      ],
      found
        .slice(0, limit)
        .map(({ id, agentId, channel, lastSeq, changedAt, title, folder, run }) => [
          id,
          terminal.foreign(agentId),
          ...(all ? [terminal.foreign(channel)] : []),
          String(lastSeq),
          `${formatSpan(now - changedAt)} ago`,
          folder === app.folder ? "here" : terminal.foreign(basename(folder ?? "-")),
          describeState(run, now),
          terminal.foreign(title ?? ""),
        ]),
      {
        width: terminal.width,
        paintTitle: (text) => terminal.paint("dim", text),
        leastTold: ["Agent", "Entries", "Folder"],
      },
    ),
  );
  if (found.length > limit) terminal.err("There are older ones; --limit says how many are listed\n");
}

type SessionAction = (
  session: Session,
  store: SessionStore,
  found: Conversation,
  options: SessionsOptions & { readonly title: string },
) => Promise<void>;

const actOn: Readonly<Record<Exclude<Action, "list">, SessionAction>> = {
  show: async (session, { sessions, runs }, found) => {
    const run = await findCurrentRun(runs, found);
    const entries = await sessions.entries(scope, found.id);
    const reflection = run && (await findReflection({ sessions, runs }, run));
    const { terminal } = session;
    if (session.asJson)
      return terminal.json({ ...found, run: run ?? null, entries, ...(reflection && { reflection }) });
    for (const entry of entries) {
      const text = describeEntry(entry);
      if (text !== "") terminal.out(`${terminal.foreign(text)}\n`);
    }
    for (const line of run === undefined ? [] : describeRun(run, Date.now()))
      terminal.err(`${terminal.foreignError(line)}\n`);
    if (reflection !== undefined) terminal.err(`${terminal.foreignError(describeReflection(reflection))}\n`);
  },
  export: async (session, { sessions }, found) => {
    for (const entry of await sessions.entries(scope, found.id)) session.terminal.jsonLine(entry);
  },
  fork: async (session, { sessions }, found, { upTo }) => {
    const copy = await sessions.fork(scope, found.id, {
      channel: "terminal",
      ...(upTo !== undefined && { upTo }),
    });
    if (copy === undefined)
      throw new CliError("CLI_NOT_FOUND", `Cannot copy the session "${found.id}": it has gone`);
    tell(
      session,
      copy,
      `Copied ${copy.lastSeq} entries; \`haft run --resume ${copy.id} "…"\` goes on with the copy`,
    );
  },
  rename: async (session, { sessions }, found, { title }) => {
    if (title.trim() === "")
      throw new CliError("CLI_USAGE", "Cannot rename a session to nothing: give its new title");
    await sessions.rename(scope, found.id, title.trim());
    tell(session, { ...found, title: title.trim() }, `Renamed ${found.id}`);
  },
  delete: async (session, { app }, found, { yes }) => {
    const { id, title = "no title", lastSeq } = found;
    await confirm(session, {
      about: `${id} (${title}) has ${lastSeq} entries.`,
      message: "Delete it for good?",
      action: `delete the session "${id}"`,
      yes: yes === true,
    });
    await deleteSession(app, found);
    tell(session, { deleted: found.id }, `Deleted ${found.id} and its ${found.lastSeq} entries`);
  },
};

function tell({ asJson, terminal }: Session, value: unknown, sentence: string): void {
  if (asJson) terminal.json(value);
  else terminal.err(`${sentence}\n`);
}
