import { hash } from "node:crypto";
import { RecentMap } from "../../../base/index.ts";
import type { ToolInfo, ToolRegistry, Toolset } from "../../../kernel/index.ts";
import { type HeaderParam, listHeaderParams } from "../http/header-params.ts";
import type { Params } from "../messages/message.ts";
import { readStart, toCursor } from "../messages/paging.ts";
import { forLegacy, type McpToolDefinition, toDefinition } from "./tool-definition.ts";

export interface ToolListOptions {
  readonly registry: ToolRegistry;
  readonly shown: ((tool: ToolInfo) => boolean) | undefined;
  readonly pageSize: number;
  readonly ttlMs: number;
}

/** The client whose list this is. */
export interface ListedFor {
  readonly toolset: Toolset;
  /** What its interaction shows, in the order of the list. @default all that the toolset shows, in the order of the registry */
  readonly shown?: readonly ToolInfo[] | undefined;
}

/** A tool as it is listed: it is the same as long as the registry makes the same definition of it. */
interface Entry {
  /** The definition of the registry, for a version of the registry in which it was last seen to be this. */
  readonly made: object;
  version: number;
  readonly definition: McpToolDefinition;
  readonly headerParams: readonly HeaderParam[];
  /** The definition as JSON. */
  readonly modern: string;
  /** The same for revisions before 2026-07-28. */
  readonly legacy: string;
}

/** A list as one client is shown it. */
interface Listed {
  /** The id in the cursors that lead from one page to the next: the same for a list that reads the same. */
  readonly id: string;
  readonly entries: readonly Entry[];
}

const mostKept = 200;

/** `tools/list`. Each tool is written out once, and the list put together once for each state of the registry and what is shown of it. */
export class ToolList {
  readonly #options: ToolListOptions;
  #version = -1;
  readonly #entries = new Map<string, Entry>();
  /** The lists by what they show: interactions come and go, and most of them show the same. */
  readonly #lists = new RecentMap<string, Listed>(mostKept);
  #ofToolset = new WeakMap<Toolset, Listed>();

  constructor(options: ToolListOptions) {
    this.#options = options;
  }

  /** One page, as the inside of the result. */
  page(params: Params, modern: boolean, listedFor: ListedFor): string {
    const { pageSize, ttlMs } = this.#options;
    const { id, entries } = this.#find(listedFor);
    const wanted = readStart(params, id);
    const page = wanted * pageSize < entries.length ? wanted : 0;
    const start = page * pageSize;
    const shown = entries.slice(start, start + pageSize);
    const tools = shown.map((entry) => entry[modern ? "modern" : "legacy"]).join();
    const hasMore = start + pageSize < entries.length;
    const more = hasMore ? `,"nextCursor":${JSON.stringify(toCursor(id, page + 1))}` : "";
    return `"tools":[${tools}]${more}${modern ? `,"ttlMs":${ttlMs},"cacheScope":"private"` : ""}`;
  }

  /** The arguments of a tool that an HTTP client repeats in headers. */
  headerParams(name: string): readonly HeaderParam[] {
    this.#refresh();
    return this.#findEntry(name)?.headerParams ?? [];
  }

  #refresh(): void {
    const { version } = this.#options.registry.snapshot();
    if (version === this.#version) return;
    this.#lists.clear();
    this.#ofToolset = new WeakMap();
    this.#version = version;
  }

  #find({ toolset, shown }: ListedFor): Listed {
    this.#refresh();
    const known = this.#ofToolset.get(toolset);
    if (known !== undefined) return known;
    const entries = this.#list(toolset, shown ?? toolset.shown());
    const key = entries.map(({ definition }) => definition.name).join(" ");
    const listed = this.#lists.get(key) ?? { id: this.#identify(entries), entries };
    this.#lists.set(key, listed);
    this.#ofToolset.set(toolset, listed);
    return listed;
  }

  /** What can't be put in the protocol's form goes into quarantine when that shows, and leaves a list of another version. */
  #list(toolset: Toolset, order: readonly ToolInfo[]): readonly Entry[] {
    const { registry, shown = () => true } = this.#options;
    for (;;) {
      const entries = order.flatMap((tool) => {
        const isListed = toolset.of(tool.name).shown.is && shown(tool);
        return (isListed && this.#findEntry(tool.name)) || [];
      });
      const { version, tools } = registry.snapshot();
      if (version === this.#version) {
        this.#forgetGone(tools.length);
        return entries;
      }
      this.#refresh();
    }
  }

  #findEntry(name: string): Entry | undefined {
    const known = this.#entries.get(name);
    if (known?.version === this.#version) return known;
    const { registry } = this.#options;
    const tool = registry.get(name);
    const made = registry.toLLMTool(name, "mcp");
    if (tool === undefined || made === undefined) return undefined;
    // The registry makes another definition of another tool, and the same value of the same one.
    if (known?.made === made) {
      known.version = this.#version;
      return known;
    }
    const definition = toDefinition(tool, made);
    const ofLegacy = forLegacy(definition);
    const modern = JSON.stringify(definition);
    const entry = {
      made,
      version: this.#version,
      definition,
      headerParams: listHeaderParams(definition.inputSchema),
      modern,
      legacy: ofLegacy === definition ? modern : JSON.stringify(ofLegacy),
    };
    this.#entries.set(name, entry);
    return entry;
  }

  /** Tools that are gone are forgotten once they are as many as those that are there. */
  #forgetGone(present: number): void {
    if (this.#entries.size <= 2 * present) return;
    for (const [name, { version }] of this.#entries)
      if (version !== this.#version) this.#entries.delete(name);
  }

  #identify(entries: readonly Entry[]): string {
    if (entries.length <= this.#options.pageSize) return "";
    return hash("sha256", entries.map(({ modern }) => modern).join()).slice(0, 16);
  }
}
