import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/index.ts";
import { BridgePasses } from "../../server/bridge/index.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { runCommand } from "../program.ts";
import { Session } from "../session.ts";
import { Terminal } from "../terminal.ts";
import { defineBridge } from "./bridge.ts";

/** Runs `haft bridge` in a home of its own, whose passes it gives too. */
async function run(...args: string[]) {
  const home = mkdtempSync(join(tmpdir(), "haft-bridge-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const stream = () => new PassThrough({ encoding: "utf8" });
  const streams = { stdin: stream(), stdout: stream(), stderr: stream() };
  const terminal = new Terminal(streams);
  const interrupt = listenForInterrupt(terminal);
  const session = new Session({
    terminal,
    interrupt,
    version: "1.2.3",
    root: "/opt/haft",
    program: ["/usr/bin/node", "/opt/haft/main.js"],
  });
  const entry = {
    name: "bridge",
    summary: "Pair",
    group: "Offer the tools",
    load: async () => defineBridge,
  } as const;
  await runCommand(entry, [...args, "--home", home, "--folder", home], session);
  await session.close();
  await terminal.flush();
  interrupt.end();
  const key = readFileSync(join(home, "bridge.key"), "utf8").trim();
  return {
    stdout: String(streams.stdout.read() ?? ""),
    stderr: String(streams.stderr.read() ?? ""),
    passes: new BridgePasses(key, systemClock),
  };
}

test("haft bridge prints an address with a code that the running haft takes", async () => {
  const { stdout, passes } = await run("--port", "5000");
  const [, code = ""] = /^http:\/\/127\.0\.0\.1:5000\/bridge#(\S+)\n$/.exec(stdout) ?? [];
  expect(passes.admits(passes.redeem(code) ?? "")).toBe(true);
  expect(passes.redeem(code)).toBeUndefined();
});

test("haft bridge --token prints a token alone, which ends when it was said to", async () => {
  const { stdout, stderr, passes } = await run("--token", "--for", "90d");
  expect(stderr).toContain("ws://127.0.0.1:4280/bridge/socket");
  expect(stderr).toContain("90 days");
  expect(passes.admits(stdout.trim())).toBe(true);
  const json = JSON.parse((await run("--token", "--json")).stdout) as Record<string, unknown>;
  expect(Object.keys(json)).toEqual(["socket", "token", "endsAt"]);
});
