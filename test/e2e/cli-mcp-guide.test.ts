import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/app/index.ts";
import { readServers } from "../../src/mcp/index.ts";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { Place, program } from "./cli-process.ts";

const { inSandbox } = await sandboxHere();

const page = readFileSync("docs/guide/mcp-servers.md", "utf8");

function findBlock(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? "";
}

/** haft for a shell, with a yes where it would ask. */
const haft = `set -e
haft() {
  if [ "$1 $2" = "mcp add" ]; then shift 2; set -- mcp add --yes "$@"; fi
  if [ "$1" = call ]; then set -- "$@" --yes; fi
  '${process.execPath}' '${program}' "$@"
}
`;

test("the commands of the guide work as they stand", { ...inSandbox, timeout: 300_000 }, () => {
  const place = new Place();
  symlinkSync(resolve("node_modules"), join(place.folder, "node_modules"));
  const output = execFileSync("sh", ["-c", haft + findBlock("sh")], {
    cwd: place.folder,
    env: place.environment(),
    encoding: "utf8",
  });
  expect(output).toContain("memory__read_graph");
  expect(output).toMatch(/^memory {2}ready /m);
  expect(output.slice(output.lastIndexOf("entities"))).toContain("has one gate");
  expect(existsSync(join(place.folder, "memory.jsonl"))).toBe(true);
});

test("the configuration of the guide can be used", async () => {
  const { mcpServers } = await parseConfig(findBlock("yaml"), "guide", () => undefined);
  expect(readServers(mcpServers)).toMatchObject({
    servers: [{ name: "memory", timeout: 20_000 }],
    problems: [],
  });
});
