import { hash } from "node:crypto";
import { RecentMap } from "../../../base/index.ts";
import type { ToolInfo, ToolRegistry, Toolset } from "../../../kernel/index.ts";
import { type HeaderParam, listHeaderParams } from "../http/header-params.ts";
import { type Params, writeMembers } from "../messages/message.ts";
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

interface Entry {
  readonly definition: McpToolDefinition;
  readonly headerParams: readonly HeaderParam[];
}

/** The inside of each page of `tools/list`, as JSON. */
interface Pages {
  /** The id in the cursors that lead from one page to the next: the same for a list that reads the same. */
  readonly id: string;
  readonly modern: readonly string[];
  readonly legacy: readonly string[];
}

const mostKept = 200;

/** `tools/list`, written out once for each state of the registry and what is shown of it. */
export class ToolList {
  readonly #options: ToolListOptions;
  #version = -1;
  readonly #entries = new Map<string, Entry>();
  /** The pages by what they show: interactions come and go, and most of them show the same. */
  readonly #pages = new RecentMap<string, Pages>(mostKept);
  #ofToolset = new WeakMap<Toolset, Pages>();

  constructor(options: ToolListOptions) {
    this.#options = options;
  }

  /** One page, as the inside of the result. */
  page(params: Params, modern: boolean, listedFor: ListedFor): string {
    const pages = this.#pagesFor(listedFor);
    const ofEra = pages[modern ? "modern" : "legacy"];
    return ofEra[readStart(params, pages.id)] ?? (ofEra[0] as string);
  }

  /** The arguments of a tool that an HTTP client repeats in headers. */
  headerParams(name: string): readonly HeaderParam[] {
    this.#refresh();
    return this.#findEntry(name)?.headerParams ?? [];
  }

  #refresh(): void {
    const { version } = this.#options.registry.snapshot();
    if (version === this.#version) return;
    this.#entries.clear();
    this.#pages.clear();
    this.#ofToolset = new WeakMap();
    this.#version = version;
  }

  #pagesFor({ toolset, shown }: ListedFor): Pages {
    this.#refresh();
    const known = this.#ofToolset.get(toolset);
    if (known !== undefined) return known;
    const tools = this.#listed(toolset, shown ?? toolset.shown());
    const key = tools.map(({ name }) => name).join(" ");
    const pages = this.#pages.get(key) ?? this.#toPages(tools);
    this.#pages.set(key, pages);
    this.#ofToolset.set(toolset, pages);
    return pages;
  }

  /** What can't be put in the protocol's form goes into quarantine when that shows, and leaves a list of another version. */
  #listed(toolset: Toolset, order: readonly ToolInfo[]): readonly McpToolDefinition[] {
    const { registry, shown = () => true } = this.#options;
    for (;;) {
      const definitions = order.flatMap((tool) => {
        const isListed = toolset.of(tool.name).shown.is && shown(tool);
        return (isListed && this.#findEntry(tool.name)?.definition) || [];
      });
      if (registry.snapshot().version === this.#version) return definitions;
      this.#refresh();
    }
  }

  #findEntry(name: string): Entry | undefined {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const { registry } = this.#options;
    const tool = registry.get(name);
    const made = registry.toLLMTool(name, "mcp");
    if (tool === undefined || made === undefined) return undefined;
    const definition = toDefinition(tool, made);
    const entry = { definition, headerParams: listHeaderParams(definition.inputSchema) };
    this.#entries.set(name, entry);
    return entry;
  }

  #toPages(definitions: readonly McpToolDefinition[]): Pages {
    const isCut = definitions.length > this.#options.pageSize;
    const id = isCut ? hash("sha256", JSON.stringify(definitions)).slice(0, 16) : "";
    return {
      id,
      modern: this.#write(id, definitions, `,"ttlMs":${this.#options.ttlMs},"cacheScope":"private"`),
      legacy: this.#write(id, definitions.map(forLegacy), ""),
    };
  }

  #write(id: string, definitions: readonly McpToolDefinition[], tail: string): string[] {
    const { pageSize } = this.#options;
    const pages: string[] = [];
    for (let start = 0; start === 0 || start < definitions.length; start += pageSize) {
      const tools = definitions.slice(start, start + pageSize);
      const more = start + pageSize < definitions.length;
      const nextCursor = more ? toCursor(id, pages.length + 1) : undefined;
      pages.push(writeMembers({ tools, nextCursor }) + tail);
    }
    return pages;
  }
}
