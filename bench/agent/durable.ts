import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Interrupts } from "../../src/agent/index.ts";
import { AgentHost, type AgentServices } from "../../src/app/agent/agent-host.ts";
import { type App, createApp, Home } from "../../src/app/index.ts";
import type { Durability } from "../../src/db/index.ts";
import type { ChatModel } from "../../src/model/index.ts";
import type { Entry, NewEntry } from "../../src/modules/sessions/index.ts";
import { type Figures, median } from "../harness.ts";
import { constantModel } from "./haft-loop.ts";
import { findAnswer, type StepRun } from "./steps.ts";

/** An installation of its own, as `createApp` opens it, whose agents ask a model in the same process. */
export class Installed implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), "haft-bench-agent-"));
  readonly #home: Home;
  readonly #folder = join(this.#root, "project");

  constructor(durability: Durability) {
    mkdirSync(this.#folder);
    writeFileSync(join(this.#folder, "small.txt"), "A line of a small file.\n".repeat(20));
    this.#home = new Home(join(this.#root, "home"));
    const config = {
      permissions: [{ decision: "allow", tool: "*" }],
      store: { durability },
      models: { main: { provider: "openai-compatible", url: "http://127.0.0.1:9/v1", model: "constant" } },
      agent: { model: "main" },
    };
    this.#home.write("config.yml", JSON.stringify(config));
  }

  open(): Promise<App> {
    return createApp({ folder: this.#folder, home: this.#home, sources: "once" });
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true });
  }
}

/** The host of an installation, with this model in place of the configured one. */
function hostWith(app: App, model: ChatModel): AgentHost {
  const models: AgentServices["models"] = { open: async () => model, findPrices: () => undefined };
  return new AgentHost({ ...app, models });
}

/** Each step reads a file through the gate: four rows of ours and one of the ledger. */
export function createDurableRun(app: App): StepRun {
  return async (steps, asked) => {
    const model = constantModel(steps, asked, {
      name: "read",
      input: (step) => JSON.stringify({ path: "small.txt", limit: step + 1 }),
    });
    const host = hostWith(app, model);
    const parts = [{ type: "text", text: "Read the file." }] as const;
    const run = await host.begin({ parts, channel: "terminal", maxSteps: steps + 1 });
    let failed: string | undefined;
    const end = await host.drive(run, {
      emit: (event) => {
        if (event.type === "call.ended" && event.result.failed) failed = event.result.text;
      },
      interrupts: new Interrupts(),
    });
    if (end?.state !== "completed" || failed !== undefined)
      throw new Error(`Cannot measure a durable step: ${failed ?? JSON.stringify(end)}`);
  };
}

/** The least that survives: the answer, and the result, each a row and a commit of its own. */
export function createDurableFloor(durability: Durability): StepRun & Disposable {
  const root = mkdtempSync(join(tmpdir(), "haft-bench-agent-"));
  const db = new DatabaseSync(join(root, "bare.db"));
  db.exec(`pragma journal_mode = wal; pragma synchronous = ${durability}`);
  db.exec("create table entry (run integer, seq integer, content text, primary key (run, seq)) strict");
  const insert = db.prepare("insert into entry (run, seq, content) values (?, ?, ?)");
  let runs = 0;
  const run: StepRun = async (steps, asked) => {
    const id = runs++;
    for (let step = 0; ; step++) {
      asked();
      const { text, input } = await Promise.resolve(findAnswer(step, steps));
      insert.run(id, step * 2, JSON.stringify({ kind: "answer", text, input }));
      if (input === undefined) return;
      insert.run(
        id,
        step * 2 + 1,
        JSON.stringify({ kind: "result", text: "A line of a small file.\n".repeat(20) }),
      );
    }
  };
  return Object.assign(run, {
    [Symbol.dispose]: () => {
      db.close();
      rmSync(root, { recursive: true });
    },
  });
}

/** Writes a session of this many entries: a message, then steps of an answer with one call, and its result. */
async function writeSession(app: App, entries: number): Promise<string> {
  const host = hostWith(
    app,
    constantModel(0, () => {}),
  );
  const parts = [{ type: "text", text: "Look through the files." }] as const;
  const { id, sessionId } = await host.begin({ parts, channel: "terminal" });
  const { runs } = await app.store();
  const run = await runs.claim("local", id, 60_000);
  if (run === undefined) throw new Error("Cannot write a session: its run is taken");
  const steps = Math.ceil(entries / 2);
  for (let from = 1; from <= steps; from += 100) {
    const some = Array.from({ length: Math.min(100, steps - from + 1) }, (_, at) =>
      stepEntries(id, from + at),
    );
    await runs.write(run, { entries: some.flat(), run: { steps: from + some.length - 1 } });
  }
  await runs.write(run, { run: { state: "completed", why: "end" } });
  return sessionId;
}

function stepEntries(runId: string, step: number): readonly NewEntry[] {
  const input = JSON.stringify({ path: `src/file-${step}.ts`, limit: 100 });
  const parts = [
    { type: "text", text: "I look at the next file, to see what it says of this." },
    { type: "call", id: `call_${step}`, name: "read", input },
  ] as const;
  return [
    { kind: "answer", step, model: "m", stop: "calls", message: { role: "assistant", parts }, tokens: 40 },
    {
      kind: "result",
      callId: `${runId}.${step}.1`,
      name: "read",
      text: `A line of file ${step}.\n`.repeat(25),
      failed: false,
      tokens: 150,
    },
  ];
}

/** Times the start from the opening of the installation to the request that goes on with a session. */
export async function timeResume(entries: number): Promise<Figures> {
  using place = new Installed("normal");
  let app = await place.open();
  const sessionId = await writeSession(app, entries);
  const times: number[] = [];
  for (let done = 0; done < 12; done++) {
    await app.close();
    const start = performance.now();
    app = await place.open();
    let asked: number | undefined;
    const host = hostWith(
      app,
      constantModel(0, () => (asked ??= performance.now())),
    );
    const run = await host.begin({
      parts: [{ type: "text", text: "And now?" }],
      sessionId,
      channel: "terminal",
    });
    await host.drive(run, { emit: () => {}, interrupts: new Interrupts() });
    times.push((asked ?? Number.NaN) - start);
  }
  await app.close();
  return { "first, ms": times[0] as number, "later, ms": median(times.slice(4)) };
}

/** The floor of {@link timeResume}: the rows are read and parsed. */
export async function timeBareResume(entries: number): Promise<Figures> {
  const root = mkdtempSync(join(tmpdir(), "haft-bench-agent-"));
  const path = join(root, "bare.db");
  const made = new DatabaseSync(path);
  made.exec("create table entry (seq integer primary key, content text) strict; begin");
  const insert = made.prepare("insert into entry (seq, content) values (?, ?)");
  for (let step = 1; step <= entries / 2; step++)
    for (const [at, entry] of stepEntries("run", step).entries())
      insert.run(step * 2 + at, JSON.stringify(entry));
  made.exec("commit");
  made.close();
  const times: number[] = [];
  for (let done = 0; done < 12; done++) {
    const start = performance.now();
    const db = new DatabaseSync(path);
    const rows = db.prepare("select content from entry order by seq").all() as { content: string }[];
    const read = rows.map(({ content }) => JSON.parse(content) as Entry);
    times.push(performance.now() - start);
    if (read.length < entries)
      throw new Error(`Cannot measure: ${read.length} of ${entries} entries were read`);
    db.close();
  }
  rmSync(root, { recursive: true });
  return { "first, ms": times[0] as number, "later, ms": median(times.slice(4)) };
}
