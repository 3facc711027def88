import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { Interrupts, type RunEnd } from "../../src/agent/index.ts";
import type { DriveTurn, NewTurn } from "../../src/app/agent/agent-host.ts";
import { type App, createApp, Home } from "../../src/app/index.ts";
import { openStore } from "../../src/app/store/index.ts";
import { TaskDriver } from "../../src/app/tasks/index.ts";
import type { Entry, ResultEntry, Run } from "../../src/modules/sessions/index.ts";
import { Place } from "../e2e/cli-process.ts";
import type { AskedRequest } from "./model-server.ts";
import { type ProviderTurn, type ScriptedProvider, useScriptedProvider } from "./scripted-provider.ts";

/** What one request of a model says. */
export interface AskedTurn {
  /** The text of all its messages. */
  readonly text: string;
  /** The result of each call so far, in order. */
  readonly results: readonly string[];
  /** How many answers it repeats. */
  readonly answers: number;
}

/** Answers one request, at once or when the test lets it. */
export type Script = (turn: AskedTurn) => ProviderTurn | undefined | Promise<ProviderTurn | undefined>;

/** A project whose main agent gives work to others; each conversation has its own script. */
export class TaskPlace extends Place {
  /**
   * @param main The script of the agent that people talk to.
   * @param tasks The scripts of tasks, by a word of their input.
   */
  async script(
    main: Script,
    tasks: Readonly<Record<string, Script>>,
    settings?: string,
    options?: Parameters<typeof useScriptedProvider>[3],
  ): Promise<ScriptedProvider> {
    const answer = (asked: AskedRequest) => {
      const turn = readTurn(asked);
      const name = Object.keys(tasks).find((one) => firstMessage(asked).includes(one));
      return name === undefined ? main(turn) : tasks[name]?.(turn);
    };
    return useScriptedProvider(this, answer, settings, options);
  }

  /** Waits until the runs of all processes are in these states, which are given in alphabetical order. */
  async reaches(...states: readonly Run["state"][]): Promise<void> {
    await using store = await openStore({ path: join(this.home, "haft.db") });
    await expect
      .poll(async () => (await store.runs.list({ scope: "local" })).map(({ state }) => state).toSorted())
      .toEqual(states);
  }
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

function listMessages({ body }: AskedRequest): readonly Message[] {
  return body["messages"] as readonly Message[];
}

/** What a conversation began with. */
function firstMessage(asked: AskedRequest): string {
  return JSON.stringify(listMessages(asked).find(({ role }) => role === "user")?.content);
}

function readTurn(asked: AskedRequest): AskedTurn {
  const messages = listMessages(asked);
  return {
    text: JSON.stringify(messages),
    results: messages.filter(({ role }) => role === "tool").map(({ content }) => String(content)),
    answers: messages.filter(({ role }) => role === "assistant").length,
  };
}

type WantedCall = NonNullable<ProviderTurn["calls"]>[number];

/** The ids of the tasks that calls of spawn_task returned. */
export function readTaskIds({ results }: Pick<AskedTurn, "results">): readonly string[] {
  return results.flatMap((result) => {
    const [, id] = /"taskId":"([\w-]+)"/.exec(result) ?? [];
    return id === undefined ? [] : [id];
  });
}

/** A call that starts a task. */
export function spawn(description: string, input: string, more: object = {}): WantedCall {
  return { name: "spawn_task", input: { description, input, ...more } };
}

/** A call that waits for tasks. */
export function waitFor(taskIds: readonly string[], more: object = {}): WantedCall {
  return { name: "task_wait", input: { taskIds, seconds: 60, ...more } };
}

/** An installation in this process, whose runs and tasks are driven here. */
export class TaskWorld extends TaskPlace {
  #app: App | undefined;
  #tasks: TaskDriver | undefined;

  /** The installation; opened when first asked for. */
  async app(): Promise<App> {
    if (this.#app !== undefined) return this.#app;
    const app = await createApp({ folder: this.folder, home: new Home(this.home) });
    this.#app = app;
    onTestFinished(() => this.close());
    return app;
  }

  /** Ends this process's part of the work, as its death would: another one goes on. */
  async close(): Promise<void> {
    const app = this.#app;
    const tasks = this.#tasks;
    this.#app = undefined;
    this.#tasks = undefined;
    await tasks?.close();
    await app?.close();
  }

  async tasks(): Promise<TaskDriver> {
    this.#tasks ??= new TaskDriver(await this.app(), {
      onError: (error) => {
        throw error;
      },
    });
    return this.#tasks;
  }

  /** Says something to the main agent, and drives its run and those that follow until nothing goes on by itself. */
  async say(text: string, more: Partial<NewTurn> = {}): Promise<{ readonly run: Run; readonly end: RunEnd }> {
    const { run, end } = await this.turn(text, more);
    const tasks = await this.tasks();
    let last = { run, end };
    for (;;) {
      const next = await tasks.next(run.sessionId, new AbortController().signal);
      if (next === undefined) return last;
      last = { run: next, end: await this.drive(next) };
    }
  }

  /** Says something, and drives that one run. */
  async turn(
    text: string,
    more: Partial<NewTurn> = {},
  ): Promise<{ readonly run: Run; readonly end: RunEnd }> {
    const host = await (await this.app()).agent();
    const run = await host.begin({ channel: "terminal", parts: [{ type: "text", text }], ...more });
    await (await this.tasks()).add(run.sessionId);
    return { run, end: await this.drive(run) };
  }

  async drive(run: Run, more: Partial<DriveTurn> = {}): Promise<RunEnd> {
    const host = await (await this.app()).agent();
    const end = await host.drive(run, { emit: () => {}, interrupts: new Interrupts(), ...more });
    if (end === undefined) throw new Error(`The run ${run.id} could not be driven`);
    return end;
  }

  /** The notes about tasks in a conversation. */
  async notes(sessionId: string): Promise<readonly string[]> {
    const { sessions } = await (await this.app()).store();
    const entries = await sessions.entries("local", sessionId);
    return entries.flatMap((entry) => (entry.kind === "note" && entry.about === "task" ? [entry.text] : []));
  }

  /** The results of calls of one tool in a conversation. */
  async results(sessionId: string, name: string): Promise<readonly (ResultEntry & Entry)[]> {
    const { sessions } = await (await this.app()).store();
    const entries = await sessions.entries("local", sessionId);
    return entries.flatMap((entry) => (entry.kind === "result" && entry.name === name ? [entry] : []));
  }
}
