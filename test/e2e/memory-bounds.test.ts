import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../support/needs.ts";
import { Place } from "./cli-process.ts";

const onLinux = needs("linux", process.platform === "linux");
const mib = 1024 * 1024;

/** The most memory, in MiB, that a process has had so far. */
function readPeak(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;
}

/** A `haft mcp`, and lines of its protocol. */
async function startServer(rules: string) {
  const place = new Place();
  writeFileSync(join(place.folder, "haft.config.yml"), rules);
  expect(await place.run(["trust", "--yes"])).toMatchObject({ exitCode: 0 });
  const child = place.start(["mcp"]);
  const [input, pid] = [child.stdin as NodeJS.WritableStream, child.pid as number];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  onTestFinished(() => lines.close());
  const said: string[] = [];
  lines.on("line", (line) => void said.push(line));
  const write = async (bytes: string | Buffer) => {
    if (!input.write(bytes)) await once(input, "drain");
  };
  let asked = 0;
  const answer = async (method: string, params: object = {}): Promise<string> => {
    const id = ++asked;
    await write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const found = said.find((line) => line.includes(`"id":${id},`) || line.includes(`"id":${id}}`));
      if (found !== undefined) return found;
      await once(lines, "line");
    }
  };
  const clientInfo = { name: "test", version: "1.0.0" };
  await answer("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  await write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return { pid, write, answer, said };
}

test("a line of 150 MB costs haft mcp no more than the line it would take", onLinux, async () => {
  const { pid, write, answer, said } = await startServer("{}\n");
  const sendLine = async (size: number) => {
    await write('{"jsonrpc":"2.0","method":"notifications/none","params":{"text":"');
    const block = Buffer.alloc(mib, "x");
    for (let sent = 0; sent < size; sent += mib) await write(block);
    await write('"}}\n');
    await answer("ping");
  };
  await sendLine(4 * mib);
  const before = readPeak(pid);
  await sendLine(150 * mib);
  expect(said.filter((line) => /longer than \d+ bytes/.test(line))).toHaveLength(1);
  expect(readPeak(pid) - before).toBeLessThan(35);
});

test(
  "a command's output of 400 MB is kept within bounds, in haft and in its process helper",
  onLinux,
  async () => {
    const { pid, answer } = await startServer("permissions:\n  - { decision: allow, tool: bash }\n");
    const run = (command: string) => answer("tools/call", { name: "bash", arguments: { command } });
    expect(await run("yes 'a line of output' | head -c 2000000")).toContain("characters, kept as");
    const helpers = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").map(Number);
    const peaks = () => [readPeak(pid), Math.max(...helpers.map(readPeak))] as const;
    const [before, helperBefore] = peaks();
    expect(await run("yes 'a line of output' | head -c 400000000")).toContain("of 400 MB were left out");
    const [after, helperAfter] = peaks();
    expect(helperAfter - helperBefore).toBeLessThan(40);
    expect(after - before).toBeLessThan(80);
  },
);
