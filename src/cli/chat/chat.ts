import { Interrupts } from "../../agent/index.ts";
import type { App, NewTurn } from "../../app/index.ts";
import type { TaskDriver } from "../../app/tasks/index.ts";
import { listConversations } from "../../app/views/index.ts";
import { getErrorCode, nearestNames, withoutUndefined } from "../../base/index.ts";
import { type Approver, defaultAgent } from "../../kernel/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { CliError } from "../errors.ts";
import { checkSpeaker } from "../options/agent.ts";
import type { Session } from "../session.ts";
import { fitWidth, wrapText } from "../text/display-width.ts";
import { renderTable } from "../text/table.ts";
import { type ChatCommandName, chatCommands, completeChatLine, readChatLine } from "./chat-commands.ts";
import { ChatInput } from "./chat-input.ts";
import type { ChatSettings } from "./chat-settings.ts";
import { describeConversation, describeElsewhere, findConversation } from "./conversations.ts";
import { describeLastTurn } from "./describe-entry.ts";
import { driveTurn } from "./drive-turn.ts";
import { describeWayOn, driveWithinBudget } from "./raise-budget.ts";
import { RunDisplay } from "./run-display.ts";
import { describeLeftOff, readModelName } from "./run-state.ts";
import { askInTurn, describeLeft, openTaskDriver } from "./task-turns.ts";

const scope = "local";
/** How many of the newest entries the last turn of a resumed conversation is looked for in. */
const mostRecalled = 100;
/** A second Ctrl-C within this time leaves the chat. */
const secondPressMs = 2_000;

/** A conversation at the terminal, or line by line through a pipe. */
export class Chat {
  readonly #session: Session;
  readonly #app: App;
  readonly #settings: ChatSettings;
  readonly #input: ChatInput;
  readonly #display: RunDisplay;
  #model: string | undefined;
  #agentId: string | undefined;
  /** Ids of conversations that were listed. */
  #listed: readonly string[] = [];
  #sessionId: string | undefined;
  #isOver = false;
  #isWorking = false;
  #pressedAt = 0;
  #interrupt = new AbortController();
  /** Interruptions of the run that is driven. */
  #interrupts = new Interrupts();
  /** Aborted when the chat is left. */
  readonly #left = new AbortController();
  #tasks: TaskDriver | undefined;
  #asked: Approver | undefined;

  constructor(session: Session, app: App, settings: ChatSettings) {
    this.#session = session;
    this.#app = app;
    this.#settings = settings;
    this.#model = settings.model;
    this.#agentId = settings.agentId;
    this.#input = new ChatInput(session.terminal);
    this.#display = new RunDisplay(session.terminal, this.#input);
    this.#input.onInterrupt = () => this.#press();
    this.#input.completions = (line) =>
      completeChatLine(line, {
        model: app.models.names,
        agent: app.agents.ids(),
        resume: this.#listed,
        sessions: ["all"],
      });
  }

  /** @param resume The session or run to go on with; `true` for the newest. */
  async run(resume: string | true | undefined): Promise<void> {
    if (this.#session.asJson)
      throw new CliError(
        "CLI_USAGE",
        "Cannot chat in JSON: `haft run --json` prints one event a line, and --resume goes on",
      );
    const end = () => this.#leave();
    this.#session.signal.addEventListener("abort", end, { once: true });
    const left = new AbortController();
    const following = this.#session.terminal.interactive ? this.#followTasks(left.signal) : undefined;
    try {
      if (this.#session.terminal.interactive) this.#say(`${this.#describeModel()}; /help lists commands`);
      if (resume !== undefined) await this.#resume(resume === true ? "" : resume);
      while (!this.#isOver) {
        const next = await this.#waitForNext();
        if (next === undefined) break;
        if (typeof next === "string") await this.#take(next);
        else await this.#guard(() => this.#drive(next));
      }
    } finally {
      left.abort();
      this.#session.signal.removeEventListener("abort", end);
      this.#input.close();
      // It would open the store again after that was closed.
      await following;
      await this.#leaveTasks();
      if (this.#sessionId !== undefined) this.#say(`\`haft chat --resume ${this.#sessionId}\` comes back`);
    }
  }

  /** What comes first: a message, or a turn in which the agent reads how a task ended. */
  async #waitForNext(): Promise<string | Run | undefined> {
    const tasks = this.#tasks;
    if (tasks === undefined || this.#sessionId === undefined) return this.#input.next();
    const idle = new AbortController();
    const watching = tasks.next(this.#sessionId, idle.signal).then((run) => {
      if (run !== undefined) idle.abort();
      return run;
    });
    const line = await this.#input.next(idle.signal);
    idle.abort();
    const run = await watching;
    return line ?? (this.#isOver ? undefined : run);
  }

  /** Drives the tasks of a conversation as long as the chat lives. */
  async #driveTasks(sessionId: string): Promise<void> {
    const { approver } = this.#settings;
    this.#tasks ??= await openTaskDriver(
      this.#session,
      this.#app,
      approver === undefined ? {} : { approver: this.#lendTo(approver) },
    );
    await this.#tasks.add(sessionId);
  }

  async #leaveTasks(): Promise<void> {
    await this.#tasks?.close();
    const left =
      this.#tasks &&
      this.#sessionId &&
      (await describeLeft(this.#tasks, this.#sessionId, "haft chat --resume"));
    if (left !== undefined && left !== "") this.#say(left);
  }

  /** Says what becomes of the agent's tasks, in whatever process they are done. */
  async #followTasks(signal: AbortSignal): Promise<void> {
    try {
      const [{ tellTasks }, { NewsHerald }] = await Promise.all([
        import("./task-lines.ts"),
        import("../tasks/tell-news.ts"),
      ]);
      await tellTasks({
        app: this.#app,
        agentId: () => this.#agentId ?? defaultAgent,
        say: (line) => this.#sayAbove(line),
        herald: new NewsHerald(this.#session.terminal, this.#settings.notify === true),
        signal,
      });
    } catch (thrown) {
      if (!signal.aborted) this.#input.above(() => this.#session.note(thrown));
    }
  }

  async #take(line: string): Promise<void> {
    const read = readChatLine(line);
    switch (read.kind) {
      case "nothing":
        return;
      case "said":
        this.#pressedAt = 0;
        return this.#guard(() => this.#ask(read.text));
      case "command":
        return this.#guard(() => this.#actOn[read.name](read.argument));
      case "unknown": {
        const names = chatCommands.map(({ name }) => name);
        const [nearest] = nearestNames(read.name, names, 1);
        this.#say(
          `There is no /${read.name}; ${nearest === undefined ? "/help lists what there is" : `did you mean /${nearest}`}`,
        );
        return;
      }
      default:
        read satisfies never;
    }
  }

  /** An error ends the current command, not the conversation. */
  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (this.#session.terminal.interactive) this.#session.note(thrown);
      else throw thrown;
    }
  }

  async #ask(text: string): Promise<void> {
    await this.#begin([{ type: "text", text }]);
    // Messages that were typed after the run had read its inbox for the last time.
    const host = await this.#app.agent();
    while (!this.#isOver && this.#sessionId !== undefined && (await host.hasWaiting(this.#sessionId)))
      await this.#begin([]);
  }

  /** Begins a run for a message, or for those that wait. */
  async #begin(parts: NewTurn["parts"]): Promise<void> {
    const host = await this.#app.agent();
    const run = await host.begin({
      parts,
      channel: "terminal",
      ...(this.#sessionId !== undefined && { sessionId: this.#sessionId }),
      ...(this.#agentId !== undefined && { agentId: this.#agentId }),
      ...this.#chosen,
    });
    this.#sessionId = run.sessionId;
    await this.#drive(run);
  }

  async #drive(run: Run): Promise<void> {
    await this.#driveTasks(run.sessionId);
    this.#interrupt = new AbortController();
    this.#isWorking = true;
    this.#display.model = readModelName(run);
    const { sessions } = await this.#app.store();
    const stopListening = this.#input.listen((line) => void this.#steer(line, run, sessions));
    const { approver } = this.#settings;
    try {
      const app = this.#app;
      const end = await driveWithinBudget(this.#session, {
        app,
        run,
        signal: AbortSignal.any([this.#interrupt.signal, this.#session.signal]),
        drive: (turn) => {
          this.#interrupts = new Interrupts();
          return driveTurn({
            app,
            run: turn,
            emit: this.#display.show,
            interrupts: this.#interrupts,
            signal: AbortSignal.any([this.#left.signal, this.#session.signal]),
            ...(approver !== undefined && { approver: this.#lendTo(approver) }),
          });
        },
        lend: (ask) => {
          this.#display.stop();
          return this.#input.lend(ask);
        },
      });
      const wayOn = describeWayOn(end, { resume: "/resume", runId: run.id });
      this.#display.finish(end, {
        resume: "/resume",
        next: "say what is next, or /resume goes on",
        wayOn,
      });
    } finally {
      this.#isWorking = false;
      this.#display.stop();
      stopListening();
      this.#input.clear();
    }
  }

  /** Text typed while the agent works is read at its next step; only a few commands are accepted then. */
  async #steer(
    line: string,
    { sessionId }: Run,
    sessions: Awaited<ReturnType<App["store"]>>["sessions"],
  ): Promise<void> {
    const read = readChatLine(line);
    if (read.kind === "command" && read.name === "stop") this.#stop();
    else if (read.kind === "command" && read.name === "exit") this.#leave();
    else if (read.kind === "command" || read.kind === "unknown")
      this.#sayAbove("While the agent works, /stop and /exit can be typed, and whatever it is to know");
    else if (read.kind === "said") {
      const parts = [{ type: "text" as const, text: read.text }];
      await sessions
        .post({ scope, sessionId, sender: "user", parts })
        .catch((thrown) => this.#session.note(thrown));
      this.#sayAbove("(the agent reads it at its next step)");
    }
  }

  get #chosen(): Pick<ChatSettings, "model" | "mode"> {
    return withoutUndefined({ model: this.#model, mode: this.#settings.mode });
  }

  #lendTo(approver: Approver): Approver {
    const { identity } = approver;
    this.#asked ??= askInTurn(
      this.#display.lendTo({
        identity,
        ask: (approval, signal) => this.#input.lend(() => approver.ask(approval, signal)),
      }),
    );
    return this.#asked;
  }

  #press(): void {
    if (!this.#isWorking && this.#input.dropDraft()) return;
    if (Date.now() - this.#pressedAt < secondPressMs) {
      this.#leave();
      return;
    }
    this.interrupt();
    this.#sayAbove("Ctrl-C again leaves");
  }

  /** Interrupts the agent. Ctrl-C soon after this leaves the chat. */
  interrupt(): void {
    this.#pressedAt = Date.now();
    this.#stop();
  }

  /** Interrupts what is under way. A run with messages that wait reads those, and can be interrupted again. */
  #stop(): void {
    this.#interrupt.abort();
    this.#interrupts.interrupt("the user");
  }

  /** Does something that Ctrl-C ends. Undefined if it did. */
  async #interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.#interrupt = new AbortController();
    const signal = AbortSignal.any([this.#interrupt.signal, this.#session.signal]);
    this.#isWorking = true;
    try {
      return await work(signal);
    } catch (thrown) {
      if (signal.aborted) return undefined;
      throw thrown;
    } finally {
      this.#isWorking = false;
    }
  }

  #leave(): void {
    this.#isOver = true;
    this.#interrupt.abort();
    this.#left.abort();
    this.#input.close();
  }

  readonly #actOn: Readonly<Record<ChatCommandName, (argument: string) => Promise<void>>> = {
    help: async () => {
      const { terminal } = this.#session;
      terminal.err(
        renderTable(
          [{ title: "" }, { title: "", overflow: "wrap" }],
          chatCommands.map((one) => [describeCommand(one), one.summary]),
          { width: terminal.errorWidth, titles: false },
        ),
      );
      this.#say("A line that ends with a backslash goes on in the next; // begins a message with a slash");
    },
    new: async () => {
      this.#sessionId = undefined;
      this.#say("A new conversation");
    },
    sessions: async (which) => {
      const { terminal } = this.#session;
      const { listSessions } = await import("./list-sessions.ts");
      const { lines, ids } = await listSessions(this.#app, which === "all");
      this.#listed = ids;
      for (const line of lines)
        terminal.err(`${fitWidth(terminal.foreignError(line), terminal.errorWidth - 1)}\n`);
    },
    resume: (id) => this.#resume(id),
    fork: async () => {
      if (this.#sessionId === undefined)
        throw new CliError("CLI_USAGE", "Cannot copy the conversation: nothing has been said");
      const { sessions } = await this.#app.store();
      const copy = await sessions.fork(scope, this.#sessionId, { channel: "terminal" });
      if (copy === undefined)
        throw new CliError("CLI_NOT_FOUND", `Cannot copy the session "${this.#sessionId}": it has gone`);
      this.#say(`Going on with the copy ${copy.id}; /resume ${this.#sessionId} goes back`);
      this.#sessionId = copy.id;
    },
    model: async (name) => {
      const { names } = this.#app.models;
      if (name !== "" && !names.includes(name))
        throw new CliError("CLI_NOT_FOUND", `Cannot ask the model "${name}": there are ${names.join(", ")}`);
      if (name !== "") this.#model = name;
      this.#say(
        name === "" ? `${this.#describeModel()}; there are ${names.join(", ")}` : this.#describeModel(),
      );
    },
    agent: async (id) => {
      const known = [defaultAgent, ...this.#app.agents.ids().filter((one) => one !== defaultAgent)];
      if (id === "")
        return this.#say(
          `The agent is ${this.#agentId ?? defaultAgent}; ${known.length === 1 ? "there is no other" : `there are ${known.join(", ")}`}`,
        );
      await checkSpeaker(this.#app, id);
      this.#agentId = id === defaultAgent ? undefined : id;
      this.#sessionId = undefined;
      this.#say(`A new conversation, with the agent ${id}`);
    },
    tools: async () => {
      const view = await this.#app.viewForGoal(undefined);
      const { listed, tools } = view.exposed();
      this.#say(
        listed === tools
          ? `All ${tools} tools are shown to the agent: \`haft tools\` lists them`
          : `${listed} of ${tools} tools are shown at the start, the agent finds the others: \`haft tools\` lists all`,
      );
    },
    tasks: async () => {
      const { listOpenTasks } = await import("./list-tasks.ts");
      this.#say(await listOpenTasks(this.#app));
    },
    usage: async () => {
      this.#say(`In this chat ${this.#display.describeUsage()}`);
      this.#say("`haft usage` shows all");
    },
    compact: async () => {
      if (this.#sessionId === undefined)
        throw new CliError("CLI_USAGE", "Cannot sum up: nothing has been said");
      const sessionId = this.#sessionId;
      const host = await this.#app.agent();
      this.#say("Summing up; Ctrl-C stops it");
      const told = await this.#interruptible((signal) => host.compact(sessionId, signal));
      this.#say(told ?? "interrupted; the conversation is as it was");
    },
    memory: async () => {
      const { text } = await this.#app.memory.context(scope);
      this.#say(text === "" ? "Nothing of memory goes into prompts by itself" : text);
    },
    approvals: async () => {
      const { listOpenApprovals } = await import("./list-approvals.ts");
      this.#say(await listOpenApprovals(this.#app));
    },
    stop: async () => this.#say("Nothing runs"),
    exit: async () => this.#leave(),
  };

  /** @param id The session or run; "" for what paused in this conversation, or else the newest one of this folder. */
  async #resume(id: string): Promise<void> {
    const { sessions } = await this.#app.store();
    const host = await this.#app.agent();
    const wanted = id === "" ? (this.#sessionId ?? (await this.#findNewest())) : id;
    if (wanted === undefined) return;
    const { sessionId, run } = wanted.startsWith("run_")
      ? await host.find(wanted)
      : await host.find((await findConversation(sessions, wanted)).id);
    const isOther = sessionId !== this.#sessionId;
    this.#sessionId = sessionId;
    const session = await sessions.get(scope, sessionId);
    if (isOther) {
      this.#say(`Going on with ${sessionId}${session?.title === undefined ? "" : `: ${session.title}`}`);
      if (this.#session.terminal.interactive && session?.lastSeq !== 0)
        this.#say(describeLastTurn(await sessions.entries(scope, sessionId, { newest: mostRecalled })));
    }
    const elsewhere = describeElsewhere(await host.findFolder(sessionId), this.#app.folder);
    if (elsewhere !== undefined) {
      this.#say(elsewhere);
      return;
    }
    const left = isOther ? describeLeftOff(run) : undefined;
    if (left !== undefined) return this.#say(left);
    let goesOn: Run | undefined;
    try {
      goesOn = run === undefined ? undefined : await host.resume(run.id, this.#chosen);
    } catch (thrown) {
      if (getErrorCode(thrown) !== "AGENT_MODE") throw thrown;
      return this.#session.note(thrown); // What is said next can be done in that mode.
    }
    if (goesOn !== undefined) await this.#drive(goesOn);
    else if (!isOther) this.#say("Nothing has paused here: say what is next");
  }

  /** The newest conversation of this folder. Says so if there is none. */
  async #findNewest(): Promise<string | undefined> {
    const found = await listConversations(this.#app);
    const here = found.find(({ folder }) => folder === this.#app.folder);
    const [newest] = found;
    if (here === undefined)
      this.#say(
        newest === undefined
          ? "There are no conversations yet: this is the first"
          : `No conversation is of this folder, so this is a new one; the newest of another is ${describeConversation(newest, Date.now())} (/resume ${newest.id})`,
      );
    return here?.id;
  }

  #describeModel(): string {
    const name = this.#model ?? this.#app.models.agentModel;
    if (name !== undefined) return `The model "${name}" is asked`;
    const { names } = this.#app.models;
    return names.length === 0
      ? "No model is configured: `haft help models` shows how"
      : `No model is chosen: \`agent.model\` in the configuration names one for good, /model for this chat; there are ${names.join(", ")}`;
  }

  #say(text: string): void {
    const { terminal } = this.#session;
    for (const line of wrapText(terminal.foreignError(text), terminal.errorWidth))
      terminal.err(`${terminal.paintError("dim", line)}\n`);
  }

  /** Says something above what is typed and drawn at the bottom. */
  #sayAbove(text: string): void {
    this.#input.above(() => this.#say(text));
  }
}

function describeCommand({ name, argument }: { readonly name: string; readonly argument?: string }): string {
  return `/${name}${argument === undefined ? "" : ` ${argument}`}`;
}
