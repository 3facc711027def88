import type { App, NewTurn } from "../../app/index.ts";
import { nearestNames } from "../../base/index.ts";
import type { Approver } from "../../kernel/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import { type ChatCommandName, chatCommands, readChatLine } from "./chat-commands.ts";
import { ChatInput } from "./chat-input.ts";
import { driveTurn } from "./drive-turn.ts";
import { RunDisplay } from "./run-display.ts";

export interface ChatSettings {
  readonly approver?: Approver;
  readonly agentId?: string;
  /** The name of a model in the configuration. */
  readonly model?: string;
}

const scope = "local";
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
  #sessionId: string | undefined;
  #isOver = false;
  #pressedAt = 0;
  #interrupt = new AbortController();

  constructor(session: Session, app: App, settings: ChatSettings) {
    this.#session = session;
    this.#app = app;
    this.#settings = settings;
    this.#model = settings.model;
    this.#input = new ChatInput(session.terminal);
    this.#display = new RunDisplay(session.terminal, this.#input);
    this.#input.onInterrupt = () => this.#press();
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
    try {
      if (resume !== undefined) await this.#resume(resume === true ? "" : resume);
      this.#say(`${this.#describeModel()}. /help lists what can be typed beside what you say.`);
      while (!this.#isOver) {
        const line = await this.#input.next();
        if (line === undefined) break;
        await this.#take(line);
      }
    } finally {
      this.#session.signal.removeEventListener("abort", end);
      this.#input.close();
      if (this.#sessionId !== undefined) this.#say(`\`haft chat --resume ${this.#sessionId}\` comes back`);
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
    // What was typed after the run had looked for the last time.
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
      ...(this.#settings.agentId !== undefined && { agentId: this.#settings.agentId }),
      ...(this.#model !== undefined && { model: this.#model }),
    });
    this.#sessionId = run.sessionId;
    await this.#drive(run);
  }

  async #drive(run: Run): Promise<void> {
    this.#interrupt = new AbortController();
    const { sessions } = await this.#app.store();
    const stopListening = this.#input.listen((line) => void this.#steer(line, run, sessions));
    const { approver } = this.#settings;
    try {
      const end = await driveTurn({
        app: this.#app,
        run,
        emit: this.#display.show,
        signal: AbortSignal.any([this.#interrupt.signal, this.#session.signal]),
        ...(approver !== undefined && { approver: this.#lendTo(approver) }),
      });
      this.#display.finish(end, { resume: "/resume", next: "say what is next" });
    } finally {
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
    if (read.kind === "command" && read.name === "stop") this.#interrupt.abort();
    else if (read.kind === "command" && read.name === "exit") this.#leave();
    else if (read.kind === "command" || read.kind === "unknown")
      this.#say("While the agent works, /stop and /exit can be typed, and whatever it is to know");
    else if (read.kind === "said") {
      const parts = [{ type: "text" as const, text: read.text }];
      await sessions
        .post({ scope, sessionId, sender: "user", parts })
        .catch((thrown) => this.#session.note(thrown));
    }
  }

  #lendTo(approver: Approver): Approver {
    const { identity } = approver;
    return { identity, ask: (approval, signal) => this.#input.lend(() => approver.ask(approval, signal)) };
  }

  #press(): void {
    const now = Date.now();
    if (now - this.#pressedAt < secondPressMs) {
      this.#leave();
      return;
    }
    this.#pressedAt = now;
    this.#interrupt.abort();
    this.#input.clear();
    this.#say("Ctrl-C again leaves");
    this.#input.show([]);
  }

  #leave(): void {
    this.#isOver = true;
    this.#interrupt.abort();
    this.#input.close();
  }

  readonly #actOn: Readonly<Record<ChatCommandName, (argument: string) => Promise<void>>> = {
    help: async () => {
      const width = Math.max(...chatCommands.map((one) => describeCommand(one).length));
      for (const one of chatCommands) this.#say(`${describeCommand(one).padEnd(width)}  ${one.summary}`);
    },
    new: async () => {
      this.#sessionId = undefined;
      this.#say("A new conversation");
    },
    resume: (id) => this.#resume(id),
    model: async (name) => {
      const { names } = this.#app.models;
      if (name !== "" && !names.includes(name))
        throw new CliError("CLI_NOT_FOUND", `Cannot ask the model "${name}": there are ${names.join(", ")}`);
      if (name !== "") this.#model = name;
      this.#say(
        name === "" ? `${this.#describeModel()}; there are ${names.join(", ")}` : this.#describeModel(),
      );
    },
    tools: async () => {
      const view = await this.#app.viewForGoal(undefined);
      const { listed, tools } = view.exposed();
      this.#say(
        `${listed} of ${tools} tools are shown at the start, the others are found by it: \`haft tools\` lists all`,
      );
    },
    cost: async () => this.#say(this.#display.describeUsage()),
    compact: async () => {
      if (this.#sessionId === undefined)
        throw new CliError("CLI_USAGE", "Cannot sum up: nothing has been said");
      const host = await this.#app.agent();
      this.#say(await host.compact(this.#sessionId));
    },
    memory: async () => {
      const { store } = await this.#app.memory.filed();
      const { memoryContext } = await import("../../modules/memory/upkeep/index.ts");
      const { text } = await memoryContext(store, scope);
      this.#say(text === "" ? "Nothing of memory goes into prompts by itself" : text);
    },
    approvals: async () => {
      const { approvals } = await this.#app.store();
      const open = await approvals.list({ state: "pending" });
      this.#say(
        open.length === 0
          ? "Nothing waits for an answer"
          : `${open.length} wait for an answer: \`haft approvals\` has them`,
      );
    },
    stop: async () => this.#say("Nothing runs"),
    exit: async () => this.#leave(),
  };

  async #resume(id: string): Promise<void> {
    const { sessions } = await this.#app.store();
    const known = await sessions.list({ scope, limit: 10 });
    const host = await this.#app.agent();
    const wanted = id === "" ? known[0]?.id : id;
    if (wanted === undefined) {
      this.#say("There are no conversations yet: this is the first");
      return;
    }
    const { sessionId, run } = await host.find(wanted);
    this.#sessionId = sessionId;
    const session = await sessions.get(scope, sessionId);
    this.#say(`Going on with ${sessionId}${session?.title === undefined ? "" : `: ${session.title}`}`);
    const goesOn = run === undefined ? undefined : await host.resume(run.id);
    if (goesOn !== undefined) await this.#drive(goesOn);
  }

  #describeModel(): string {
    const name = this.#model ?? this.#app.models.agentModel;
    return name === undefined
      ? "No model is chosen: set `agent.model` in the configuration"
      : `The model "${name}" is asked`;
  }

  #say(text: string): void {
    const { terminal } = this.#session;
    terminal.err(`${terminal.paintError("dim", terminal.foreignError(text))}\n`);
  }
}

function describeCommand({ name, argument }: { readonly name: string; readonly argument?: string }): string {
  return `/${name}${argument === undefined ? "" : ` <${argument}>`}`;
}
