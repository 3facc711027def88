import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { needs } from "../../../../test/support/needs.ts";

const script = `import { isStartedByTool } from ${JSON.stringify(join(import.meta.dirname, "inside.ts"))}; console.log(isStartedByTool());`;
const node = [process.execPath, "--input-type=module-typescript", "-e", script] as const;
const { HAFT_PROCESS: _, ...environment } = process.env;

async function run(file: string, args: readonly string[], extra: Readonly<Record<string, string>> = {}) {
  const { stdout } = await promisify(execFile)(file, [...args], { env: { ...environment, ...extra } });
  return stdout.trim();
}

test("isStartedByTool() knows a process that carries the mark of a command", async () => {
  expect(await run(node[0], node.slice(1))).toBe("false");
  expect(await run(node[0], node.slice(1), { HAFT_PROCESS: "x" })).toBe("true");
});

test(
  "isStartedByTool() knows one that gave the mark up, by those that started it",
  needs("linux", process.platform === "linux"),
  async () => {
    const shell = 'env -u HAFT_PROCESS "$@"; true';
    expect(await run("sh", ["-c", shell, "sh", ...node], { HAFT_PROCESS: "x" })).toBe("true");
    expect(await run("sh", ["-c", shell, "sh", ...node])).toBe("false");
  },
);
