import { type Clock, canonicalJson, formatBytes, getErrorMessage } from "../../../base/index.ts";
import type { McpServerConfig } from "../config.ts";
import { Deadline } from "../deadline.ts";
import { timedOut, toolChanged, unavailable } from "../faults.ts";
import { limits } from "../limits.ts";
import type { Link } from "../link.ts";
import { listAll } from "../list-all.ts";
import { findHeaderFault } from "../opening/header-check.ts";
import type { Definitions, KnownTools } from "../ports.ts";
import { type ServerTool, toDefinitionText, toServerTool } from "./server-tool.ts";
import { hidesSomething, isShownAsIs, shownSchema, shownText } from "./shown-schema.ts";

export interface ToolListOptions {
  readonly server: McpServerConfig;
  readonly definitions: Definitions | undefined;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Told when the tools are other ones. */
  readonly onChange: () => void;
  /** Told when it was asked for, whatever came of it. */
  readonly onRefresh: () => void;
}

/** A server that says its list has changed is asked for it after this, and then ever less often while it goes on. */
const firstGapMs = 500;
const longestGapMs = 60_000;

/** The tools of one server, as they were last listed and accepted. They stay while the server is away. */
export class ToolList {
  readonly #options: ToolListOptions;
  #known: KnownTools | undefined;
  #byName: ReadonlyMap<string, ServerTool> = new Map();
  #refreshing: Promise<void> | undefined;
  #endWait: (() => void) | undefined;
  #gapMs = firstGapMs;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  /** Number of list changes that the server has announced. */
  #changes = 0;
  /** State that {@link known} was last compared with: the link, and the number of changes at that time. */
  #compared: { readonly link: Link; readonly changes: number } | undefined;
  /** Why the list is not, or not all, what the server has. */
  problems: readonly string[] = [];
  /** Why it could not be had when it was last asked for. */
  fault: string | undefined;
  #thrown: unknown;
  quarantined: readonly { readonly name: string; readonly reason: string }[] = [];

  constructor(options: ToolListOptions) {
    this.#options = options;
  }

  get known(): KnownTools | undefined {
    return this.#known;
  }

  /** Takes what was known when haft last ran, unless the server was quicker. */
  async restore(): Promise<void> {
    const known = await this.#options.definitions?.lastKnown(this.#options.server);
    if (known === undefined || this.#known !== undefined) return;
    this.#keep(known);
    this.#options.onChange();
  }

  /** Whoever asks while it is under way gets the same one. Never rejects: {@link ToolList.fault} says what was wrong. */
  refresh(link: Link): Promise<void> {
    this.#refreshing ??= this.#refresh(link).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /**
   * Resolves once the known tools have been compared with what the server lists over `link`, after every change that it has
   * told of so far; undefined where they have been already.
   *
   * @throws {McpError} MCP_UNAVAILABLE where the list could not be had; the reason of the deadline.
   */
  compare(link: Link, deadline: Deadline): Promise<void> | undefined {
    const wanted = this.#changes;
    return this.#isCompared(link, wanted) ? undefined : this.#compare(link, deadline, wanted);
  }

  #isCompared(link: Link, wanted: number): boolean {
    return this.#compared?.link === link && this.#compared.changes >= wanted;
  }

  async #compare(link: Link, deadline: Deadline, wanted: number): Promise<void> {
    // The first may be one that was under way already, for what the server had before.
    for (let tries = 0; !this.#isCompared(link, wanted); tries++) {
      if (tries === 2)
        throw unavailable(
          this.#options.server.name,
          `its tools could not be compared with those you accepted: ${this.fault ?? "it closed the connection"}`,
          this.#thrown,
        );
      await deadline.within(this.refresh(link));
    }
  }

  /**
   * Throws for a definition that is no longer offered. For a server whose changes nobody reviews, only what the
   * call was checked and decided by has to be the same.
   *
   * @throws {McpError} MCP_TOOL_CHANGED
   */
  checkOffered(tool: ServerTool): void {
    const { name, pin } = this.#options.server;
    const now = this.#byName.get(tool.name);
    const toText = ({ inputSchema, annotations, ...rest }: ServerTool) =>
      canonicalJson(pin === false ? { inputSchema, annotations } : { inputSchema, annotations, ...rest });
    if (now === tool || (now !== undefined && toText(now) === toText(tool))) return;
    const aside = this.quarantined.find((one) => one.name === tool.name);
    const gone = now === undefined ? "the server has it no more" : "its definition has changed; look it up";
    throw toolChanged(name, tool.name, aside?.reason ?? gone);
  }

  /** The server says that its list has changed. It may say so as often as it likes. */
  changed(link: Link): void {
    this.#changes++;
    if (this.#endWait !== undefined) return;
    const { clock } = this.#options;
    const since = clock.now() - this.#refreshedAt;
    this.#gapMs = since > 4 * this.#gapMs ? firstGapMs : Math.min(this.#gapMs * 2, longestGapMs);
    this.#endWait = clock.after(this.#gapMs, () => {
      this.#endWait = undefined;
      void (this.#refreshing ?? Promise.resolve()).then(() => {
        // A call may have had it compared meanwhile.
        if (this.#compared?.link !== link || this.#compared.changes < this.#changes) void this.refresh(link);
      });
    });
  }

  /** No more of what was to come of this link. */
  leave(): void {
    this.#endWait?.();
    this.#endWait = undefined;
  }

  async #refresh(link: Link): Promise<void> {
    const { server, clock, timeoutMs, definitions } = this.#options;
    const changes = this.#changes;
    const deadline = new Deadline(clock, timeoutMs, () =>
      timedOut(server.name, "the list of tools", timeoutMs),
    );
    try {
      const has = link.capabilities["tools"] !== undefined;
      const listed = has ? await listAll(link, server.name, deadline) : { items: [], problems: [] };
      const { tools, problems } = sift(listed.items, link.isModern && server.url !== undefined);
      const reviewed = await definitions?.review(server, tools);
      this.problems = [...listed.problems, ...problems];
      this.quarantined = reviewed?.quarantined ?? [];
      this.fault = undefined;
      this.#thrown = undefined;
      this.#take(reviewed?.accepted ?? tools);
      this.#compared = { link, changes };
    } catch (error) {
      this.#thrown = error;
      this.fault = getErrorMessage(error);
    } finally {
      this.#refreshedAt = clock.now();
      deadline.end();
      this.#options.onRefresh();
    }
  }

  /**
   * A list with the same tools as before, in any order, is not announced as a change. A tool that did not change stays
   * the same object.
   */
  #take(tools: readonly ServerTool[]): void {
    const former = this.#known?.tools;
    const listed = tools.map((tool) => {
      const before = this.#byName.get(tool.name);
      return before !== undefined && toDefinitionText(before) === toDefinitionText(tool) ? before : tool;
    });
    const isSame =
      former?.length === listed.length && listed.every((tool) => this.#byName.get(tool.name) === tool);
    this.#keep({ tools: isSame ? former : listed, listedAt: this.#options.clock.now() });
    if (!isSame) this.#options.onChange();
  }

  #keep(known: KnownTools): void {
    if (known.tools !== this.#known?.tools)
      this.#byName = new Map(known.tools.map((tool) => [tool.name, tool]));
    this.#known = known;
  }
}

const maxProblems = 20;

/** The tools of a list that can be offered. Whatever is wrong with one costs that one alone. */
function sift(items: readonly unknown[], overHttp: boolean): { tools: ServerTool[]; problems: string[] } {
  const tools = new Map<string, ServerTool>();
  const problems: string[] = [];
  for (const item of items) {
    const tool = toServerTool(item);
    const fault =
      tool === undefined
        ? "a tool has no name or no input schema"
        : tools.has(tool.name)
          ? `"${shownText(tool.name, 100)}" is listed twice; the first one is offered`
          : findFault(tool, overHttp);
    if (tool !== undefined && fault === undefined) tools.set(tool.name, tool);
    else if (fault !== undefined && problems.length < maxProblems) problems.push(fault);
  }
  return { tools: [...tools.values()], problems };
}

function findFault(tool: ServerTool, overHttp: boolean): string | undefined {
  const { name, inputSchema, outputSchema = {} } = tool;
  const shown = shownText(name, 100);
  const text = toDefinitionText(tool);
  if (text.length > limits.definitionBytes)
    return `"${shown}" is put aside: its definition is over ${formatBytes(limits.definitionBytes)}`;
  if (!isShownAsIs(text) && [inputSchema, outputSchema].some((schema) => hidesSomething(shownSchema(schema))))
    return `"${shown}" is put aside: names or values of its schemas have characters in them that nobody sees`;
  const fault = overHttp ? findHeaderFault(inputSchema) : undefined;
  return fault === undefined ? undefined : `"${shown}" is put aside: ${fault}`;
}
