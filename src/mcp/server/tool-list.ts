import type { Tool, ToolRegistry, Toolset } from "../../kernel/index.ts";
import { type HeaderParam, headerParamsOf } from "./header-params.ts";
import { membersOf, type Params } from "./message.ts";
import { startOf, toCursor } from "./paging.ts";
import { forLegacy, type McpToolDefinition, toDefinition } from "./tool-definition.ts";

export interface ToolListOptions {
  readonly registry: ToolRegistry;
  readonly shown: ((tool: Tool) => boolean) | undefined;
  readonly pageSize: number;
  readonly ttlMs: number;
}

/** The inside of each page of `tools/list`, as JSON. */
interface Pages {
  readonly modern: readonly string[];
  readonly legacy: readonly string[];
}

/** `tools/list`, written out once for each state of the registry and each toolset. */
export class ToolList {
  readonly #options: ToolListOptions;
  #version = -1;
  #definitions: readonly McpToolDefinition[] = [];
  #pages = new WeakMap<Toolset, Pages>();
  #headerParams = new Map<string, readonly HeaderParam[]>();

  constructor(options: ToolListOptions) {
    this.#options = options;
  }

  /** One page, as the inside of the result, with what the toolset shows. */
  page(params: Params, modern: boolean, toolset: Toolset): string {
    this.#refresh();
    const pages = this.#pagesFor(toolset)[modern ? "modern" : "legacy"];
    const page = startOf(params, this.#version);
    return pages[page] ?? (pages[0] as string);
  }

  /** The arguments of a tool that an HTTP client repeats in headers. */
  headerParams(name: string): readonly HeaderParam[] {
    this.#refresh();
    return this.#headerParams.get(name) ?? [];
  }

  #refresh(): void {
    const { registry, shown } = this.#options;
    if (registry.snapshot().version === this.#version) return;
    const made = new Map(registry.toLLMTools("mcp").map((definition) => [definition["name"], definition]));
    const { version, tools } = registry.snapshot();
    const definitions: McpToolDefinition[] = [];
    const headerParams = new Map<string, readonly HeaderParam[]>();
    for (const tool of tools) {
      const definition = made.get(tool.name);
      if (definition === undefined) continue;
      const whole = toDefinition(tool, definition);
      const repeated = headerParamsOf(whole.inputSchema);
      if (repeated.length > 0) headerParams.set(tool.name, repeated);
      if (shown?.(tool) ?? true) definitions.push(whole);
    }
    this.#definitions = definitions;
    this.#headerParams = headerParams;
    this.#pages = new WeakMap();
    this.#version = version;
  }

  #pagesFor(toolset: Toolset): Pages {
    let pages = this.#pages.get(toolset);
    if (pages === undefined) {
      const definitions = this.#definitions.filter(({ name }) => toolset.of(name).shown.is);
      pages = {
        modern: this.#write(definitions, `,"ttlMs":${this.#options.ttlMs},"cacheScope":"private"`),
        legacy: this.#write(definitions.map(forLegacy), ""),
      };
      this.#pages.set(toolset, pages);
    }
    return pages;
  }

  #write(definitions: readonly McpToolDefinition[], tail: string): string[] {
    const { pageSize } = this.#options;
    const pages: string[] = [];
    for (let start = 0; start === 0 || start < definitions.length; start += pageSize) {
      const tools = definitions.slice(start, start + pageSize);
      const more = start + pageSize < definitions.length;
      const nextCursor = more ? toCursor(this.#version, pages.length + 1) : undefined;
      pages.push(membersOf({ tools, nextCursor }) + tail);
    }
    return pages;
  }
}
