import { isRecord } from "../../../base/index.ts";
import { type JsonSchema, type ParameterSchema, type Tool, toJsonSchema } from "../../../kernel/index.ts";
import {
  type CallSignature,
  callIdSignature,
  type FromWorker,
  type LoadedEntry,
  type LogLevel,
  type MadeEntry,
  type ToWorker,
} from "../messages.ts";
import { withCallId } from "./call-id-tool.ts";
import { sendLog, tellPrinted } from "./console.ts";
import { toFault } from "./fault.ts";
import { provideModules } from "./modules.ts";
import { RunningCalls } from "./running-calls.ts";
import { SecretRequests } from "./secret-requests.ts";

type Send = (message: FromWorker) => void;
type Imported = Readonly<Record<string, unknown>>;

/** The extension within its worker: imports it, makes its tools and calls them. */
export class ExtensionHost {
  readonly #send: Send;
  readonly #secrets: SecretRequests;
  readonly #calls: RunningCalls;
  readonly #modules = new Map<string, Imported>();
  #signature: CallSignature | undefined;
  readonly #tools = new Map<string, Tool>();
  #own: ReadonlySet<string> = new Set();

  constructor(send: Send) {
    this.#send = send;
    tellPrinted(send);
    this.#secrets = new SecretRequests(send);
    this.#calls = new RunningCalls({
      send,
      secrets: this.#secrets,
      toFault: (thrown) => toFault(thrown, (url) => this.#own.has(url)),
    });
  }

  take(message: ToWorker): void {
    switch (message.type) {
      case "load":
        provideModules(message);
        this.#signature = message.signature;
        this.#own = new Set(message.files.map(({ url }) => url));
        void this.#loadAll(message.entries);
        return;
      case "make":
        void this.#makeAll(message.entries);
        return;
      case "call":
        this.#calls.start(message, this.#tools.get(message.tool));
        return;
      case "cancel":
        this.#calls.cancel(message);
        return;
      case "secret":
        this.#secrets.settle(message);
        return;
      default:
        message satisfies never;
    }
  }

  async #loadAll(urls: readonly string[]): Promise<void> {
    const entries: LoadedEntry[] = [];
    for (const url of urls) entries.push(await this.#load(url));
    this.#send({ type: "loaded", entries });
  }

  async #load(url: string): Promise<LoadedEntry> {
    try {
      const module = (await import(url)) as Imported;
      this.#modules.set(url, module);
      const meta: unknown = module["meta"];
      const { requires, examples }: Imported = isRecord(meta) ? meta : {};
      if (examples !== undefined) JSON.stringify(examples); // What can't be sent is a fault of this module alone.
      return {
        url,
        ...(requires !== undefined && { requires }),
        ...(examples !== undefined && { examples }),
      };
    } catch (thrown) {
      return { url, fault: this.#toFault(thrown) };
    }
  }

  async #makeAll(urls: readonly string[]): Promise<void> {
    const entries: MadeEntry[] = [];
    for (const url of urls) entries.push(await this.#make(url));
    this.#send({ type: "made", entries });
  }

  async #make(url: string): Promise<MadeEntry> {
    try {
      const given: unknown = this.#modules.get(url)?.["default"];
      const made: unknown = typeof given === "function" ? await given(this.#services()) : given;
      if (made === null || (made === undefined && typeof given === "function")) return { url };
      const takesCallId = this.#findSignature(url) !== undefined;
      const tools = (Array.isArray(made) ? made : [made])
        .map(asTool)
        .map((tool) => (takesCallId ? withCallId(tool) : tool));
      for (const tool of tools) this.#tools.set(tool.name, tool);
      return { url, tools: tools.map(toDefinition) };
    } catch (thrown) {
      return { url, fault: this.#toFault(thrown) };
    }
  }

  #findSignature(url: string): CallSignature | undefined {
    const meta: unknown = this.#modules.get(url)?.["meta"];
    const named: unknown = isRecord(meta) ? meta["signature"] : undefined;
    if (named === undefined) return this.#signature;
    if (named === callIdSignature) return named;
    throw new TypeError(
      `its meta.signature is none that haft knows; leave it out for (params, context), or write "${callIdSignature}"`,
    );
  }

  /** See `ExtensionFactoryServices`. */
  #services(): object {
    const log = (level: LogLevel) => (message: unknown) => sendLog(this.#send, level, String(message));
    return {
      secret: (name: string) => this.#secrets.ask(name),
      logger: { info: log("info"), warn: log("warn"), error: log("error") },
    };
  }

  #toFault(thrown: unknown): ReturnType<typeof toFault> {
    return toFault(thrown, (url) => this.#own.has(url));
  }
}

/** Haft looks at all of it again: this is for a message that its author understands. */
function asTool(made: unknown): Tool {
  if (!isRecord(made))
    throw new TypeError(
      "its default export is no tool; export what defineTool returns, or a function that does",
    );
  for (const name of ["name", "description"])
    if (typeof made[name] !== "string")
      throw new TypeError(`its default export has no ${name}; define it with defineTool`);
  if (!isRecord(made["parameters"]) && typeof made["parameters"] !== "function")
    throw new TypeError(`"${String(made["name"])}" has no parameters; give a schema, z.object({}) for none`);
  if (typeof made["execute"] !== "function")
    throw new TypeError(`"${String(made["name"])}" has no execute; add the function`);
  return made as unknown as Tool;
}

/** What of a tool is data. */
function toDefinition(tool: Tool): object {
  const { name, title, description, category, parameters, output, annotations, maxOutputChars } = tool;
  const { icons, secrets, secretParams, timeoutMs, override, verify, mayRepeat } = tool;
  return {
    name,
    title,
    description,
    category,
    parameters: readSchema(parameters),
    output: output === undefined ? undefined : readSchema(output),
    annotations,
    maxOutputChars,
    icons,
    secrets,
    secretParams,
    override,
    verify,
    mayRepeat,
    timeoutMs: typeof timeoutMs === "number" ? timeoutMs : undefined,
  };
}

function readSchema(schema: ParameterSchema): JsonSchema {
  return toJsonSchema(schema);
}
