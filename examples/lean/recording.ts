import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { App } from "haft/app";
import { pinnedVersion, servers } from "./servers.ts";

/** What one server said it could do. */
export interface RecordedServer {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** The beginning of what it says of itself. */
  readonly about?: string;
  readonly tools: readonly { readonly name: string }[];
}

/** Writes recorded.json anew, a line for each tool. What a tool answers is left out: no model is shown it. */
export function record({ sources }: App): void {
  const lines = servers.map((server) => {
    const { name, package: from } = server;
    const about = sources.mcp?.health().find((one) => one.server === name)?.about;
    const head = JSON.stringify({ name, package: from, version: pinnedVersion(server), about });
    const tools = (sources.mcp?.listTools(name) ?? []).map((tool) =>
      JSON.stringify({ ...tool, outputSchema: undefined }),
    );
    if (tools.length === 0) throw new Error(`Cannot record: the server "${name}" has not listed its tools`);
    return `${head.slice(0, -1)},"tools":[\n${tools.join(",\n")}\n]}`;
  });
  writeFileSync(join(import.meta.dirname, "recorded.json"), `[\n${lines.join(",\n")}\n]\n`);
}
