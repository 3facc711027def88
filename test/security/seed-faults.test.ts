import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { parseConfig } from "../../src/app/config/config.ts";
import { describeOpenings } from "../../src/cli/files/config-openings.ts";
import { defineTool, type ToolEvent } from "../../src/kernel/index.ts";
import { initPackEmbeddings, type Pack, selectAndCreateTools } from "../../src/search/index.ts";
import type { HostileServer } from "../fixtures/attacks/hostile-server.ts";
import { agreeing, Installation } from "../support/installation.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { isRunning } from "../support/running.ts";
import { sandboxHere } from "../support/sandbox-levels.ts";
import { createTestExecutor, RecordingLedger } from "../support/test-executor.ts";

const { inSandbox } = await sandboxHere();

/** Faults of the systems that haft comes from, each as the call that would show it. */
const canary = "canary-0cc175b9";

/** Runs every command, so that what is tested is what a command can do once it is allowed. */
const anyCommand = "permissions: [{ decision: allow, tool: bash }]\nsandbox: { atLeast: none }\n";

describe("files", () => {
  test("resolveMemoryPath: a path is compared after its links are followed", async () => {
    const place = new Installation();
    place.write("outside/s", canary);
    symlinkSync(join(place.root, "outside"), join(place.folder, "l"));
    const haft = await place.open();
    const result = await haft.call("read", { path: "l/s" });
    expect(result).toMatchObject({ success: false, code: "TOOL_PERMISSION" });
    expect(result.text).not.toContain(canary);
  });

  test("allowedPaths: a call that names none may touch nothing", async () => {
    const place = new Installation();
    const file = place.write("project/a.txt", canary);
    const haft = await place.open();
    for (const allowedPaths of [undefined, []]) {
      const result = await haft.app.executor.run(
        "read",
        { path: file },
        {
          ...haft.app.context,
          allowedPaths: allowedPaths as never,
        },
      );
      expect(result.success).toBe(false);
      expect(result.text).not.toContain(canary);
    }
  });

  test("read: an absolute path outside is refused, and a file of 48 MB comes as a part that says so", async () => {
    const place = new Installation();
    writeFileSync(join(place.folder, "big.txt"), "0123456789abcde\n".repeat(3_000_000));
    const haft = await place.open();
    expect(await haft.call("read", { path: "/etc/hostname" })).toMatchObject({ success: false });
    const big = await haft.call("read", { path: "big.txt" });
    expect(big.success).toBe(true);
    expect(big.text.length).toBeLessThan(40_000);
  });

  test("write: what another hand changed since it was read is refused, not overwritten", async () => {
    const place = new Installation();
    const file = place.write("project/a.txt", "one");
    const haft = await place.open();
    expect(await haft.call("write", { path: "a.txt", content: "unread" })).toMatchObject({ success: false });
    await haft.call("read", { path: "a.txt" });
    writeFileSync(file, "by another hand");
    expect(await haft.call("write", { path: "a.txt", content: "stale" })).toMatchObject({ success: false });
    expect(readFileSync(file, "utf8")).toBe("by another hand");
  });

  test("self_edit: haft's own configuration and code folder of a project are not written unasked", async () => {
    const place = new Installation();
    const haft = await place.open();
    for (const path of [
      "haft.config.yml",
      ".git/hooks/pre-commit",
      "agent/tools/mine.md",
      ".vscode/tasks.json",
    ])
      expect(await haft.call("write", { path, content: "x" }), path).toMatchObject({ success: false });
    expect(existsSync(join(place.folder, ".git"))).toBe(false);
  });
});

describe("time", () => {
  test(
    "Promise.race: what has timed out does not happen afterwards, and the ledger says how it ended",
    inSandbox,
    async () => {
      const place = new Installation();
      const haft = await place.open(anyCommand);
      const marker = join(place.folder, "marker");
      const result = await haft.call("bash", { command: `sleep 60; touch ${marker}`, timeout: 200 });
      expect(result).toMatchObject({ success: false, code: "TOOL_TIMEOUT" });
      expect(result).not.toHaveProperty("stillRunning");
      await expect.poll(() => isRunning(marker)).toBe(false);
      expect(existsSync(marker)).toBe(false);
      const store = await haft.app.store();
      expect(await store.ledger.show(result.callId)).toMatchObject({ state: "failed", code: "TOOL_TIMEOUT" });
    },
  );

  test("completion events: what the ledger has of a call does not hang on its caller's event", async () => {
    const ledger = new RecordingLedger();
    const tool = defineTool({
      name: "works",
      description: "Works.",
      parameters: z.object({}),
      execute: () => "done",
    });
    const { executor } = createTestExecutor([tool], { ledger });
    const events: ToolEvent[] = [];
    executor.events.on((event) => void events.push(event));
    await executor.execute("works", {}); // A caller that dies here never emits.
    expect(events.map(({ type }) => type)).toEqual(["tool.requested"]);
    expect(ledger.entries).toHaveLength(2);
  });
});

describe("commands", () => {
  test.each([
    "rm -r -f a",
    "rm --recursive --force a",
    "r'm' -rf a",
    "bash -c 'rm -rf a'",
    "git push origin +main",
    "git push --force-with-lease",
  ])("blocked words: %s is decided by what it does, not by how it is written", async (command) => {
    const place = new Installation();
    place.write("project/a/b.txt", canary);
    const haft = await place.open();
    expect(await haft.call("bash", { command })).toMatchObject({ success: false });
    expect(existsSync(join(place.folder, "a/b.txt"))).toBe(true);
  });

  test("blocked words: text that only mentions them is not blocked", async () => {
    const place = new Installation();
    const haft = await place.open("sandbox: { atLeast: none }\n");
    const result = await haft.call("bash", { command: "echo 'never rm -rf / or git push --force'" });
    expect(result).toMatchObject({ success: true });
  });

  test(
    "environment: a command sees a chosen environment, and no secret of haft's own",
    inSandbox,
    async () => {
      vi.stubEnv("PEGASUS_DB_URL", `postgres://u:${canary}@db/x`);
      vi.stubEnv("SOME_API_KEY", canary);
      const place = new Installation();
      const haft = await place.open(anyCommand);
      const result = await haft.call("bash", { command: "env; cat /proc/self/environ | tr '\\0' '\\n'" });
      vi.unstubAllEnvs();
      expect(result).toMatchObject({ success: true });
      expect(result.text).not.toContain("PEGASUS_DB_URL");
      expect(result.text).not.toContain(canary);
    },
  );

  test("get_env, set_env: secrets can't be read, what decides what runs can't be set, and process.env stays as it is", async () => {
    vi.stubEnv("SOME_API_KEY", canary);
    const place = new Installation();
    const haft = await place.open("", { approver: agreeing() });
    expect((await haft.call("get_env", { name: "SOME_API_KEY" })).text).not.toContain(canary);
    vi.unstubAllEnvs();
    const before = JSON.stringify(process.env);
    for (const name of [
      "LD_PRELOAD",
      "PATH",
      "NODE_OPTIONS",
      "GIT_SSH_COMMAND",
      "GIT_EXTERNAL_DIFF",
      "BASH_ENV",
    ])
      expect(await haft.call("set_env", { name, value: "/tmp/x" }), name).toMatchObject({ success: false });
    await haft.call("set_env", { name: "HARMLESS", value: "1" });
    expect(JSON.stringify(process.env)).toBe(before);
  });
});

describe("consent", () => {
  test("enum, pattern: what a schema forbids does not run, and a pattern is held against the whole in linear time", async () => {
    const ran: unknown[] = [];
    const tool = defineTool({
      name: "checkout",
      description: "Check out.",
      parameters: {
        type: "object",
        required: ["branch"],
        properties: {
          branch: { type: "string", pattern: "^[\\w./-]+$" },
          how: { enum: ["soft", "hard"] },
          slow: { type: "string", pattern: "^(a+)+$" },
        },
      },
      execute: (params) => ran.push(params),
    });
    const { executor } = createTestExecutor([tool]);
    for (const params of [
      { branch: "main; x" },
      { branch: "main\n; x" },
      { branch: "main", how: "mixed" },
      { branch: "main", slow: `${"a".repeat(5000)}!` },
    ])
      expect(await executor.execute("checkout", params)).toMatchObject({ code: "TOOL_VALIDATION" });
    expect(ran).toEqual([]);
  });

  test("hidden tools: what a caller may call is bound where it is called, not where it is shown", async () => {
    const place = new Installation();
    const haft = await place.open();
    expect(await haft.call("current_time", {}, { allowedTools: ["read"] })).toMatchObject({
      code: "TOOL_NOT_CALLABLE",
    });
  });

  test("a pending question is answered for its own call, once, by who may: not by whoever speaks next", async () => {
    const place = new Installation();
    writeFileSync(join(place.folder, "a.txt"), "x");
    const haft = await place.open("", { profile: "task" });
    const refused = await haft.call("delete_file", { path: "a.txt" });
    const id = String(refused.success ? "" : refused.details?.["approval"]);
    const { approvals } = await haft.app.store();
    await expect(approvals.answer(id, { approved: true, by: "telegram:4711" })).rejects.toMatchObject({
      code: "APPROVAL_NOT_YOURS",
    });
    await approvals.answer(id, { approved: true, by: "owner:ada" });
    await expect(approvals.answer(id, { approved: true, by: "owner:ada" })).rejects.toMatchObject({
      code: "APPROVAL_ANSWERED",
    });
    writeFileSync(join(place.folder, "b.txt"), "x");
    expect(await haft.call("delete_file", { path: "b.txt" })).toMatchObject({ success: false });
    expect(await haft.call("delete_file", { path: "a.txt" })).toMatchObject({ success: true });
    writeFileSync(join(place.folder, "a.txt"), "again");
    expect(await haft.call("delete_file", { path: "a.txt" })).toMatchObject({ success: false });
  });
});

describe("secrets", () => {
  test("secret_list says names, and a tool gets only the secrets that it declares", async () => {
    const place = new Installation();
    const haft = await place.open("", { approver: agreeing() });
    await haft.call("secret_store", { key: "TOKEN", value: canary });
    const list = await haft.call("secret_list", {});
    expect(list.text).toContain("TOKEN");
    expect(list.text).not.toContain(canary);
    haft.app.registry.register(
      defineTool({
        name: "thief",
        description: "Wants what it did not declare.",
        parameters: z.object({}),
        annotations: { readOnly: true, openWorld: false },
        execute: (_params, context) => context.secret("TOKEN"),
      }),
    );
    const stolen = await haft.call("thief", {});
    expect(stolen).toMatchObject({ success: false, code: "SECRET_UNDECLARED" });
    expect(stolen.text).not.toContain(canary);
  });
});

describe("what users bring", () => {
  test.each(["main; touch ran", "$(touch ran)", "main\ntouch ran", "a b", "'", "--force"])(
    "{{branch}} in a command fills one word, whatever it contains: %j",
    async (branch) => {
      const place = new Installation();
      const fields =
        "command: printf '<%s>' checkout {{branch}} --\nparameters: [{ name: branch, type: string, description: Which, required: true }]";
      const text = `---\nid: checkout\nname: Check out\ndescription: Checks out.\n${fields}\n---\n`;
      place.home.trust(place.write("project/agent/tools/checkout.md", text), text);
      const haft = await place.open(
        "permissions: [{ decision: allow, tool: checkout }]\nsandbox: { atLeast: none }\n",
      );
      expect(await haft.call("checkout", { branch })).toMatchObject({ text: `<checkout><${branch}><-->` });
      expect(existsSync(join(place.folder, "ran"))).toBe(false);
    },
  );

  test(
    "MCP tools: arguments are checked against the server's schema, and its origin is shown",
    inSandbox,
    async () => {
      const place = new Installation();
      const inputSchema = {
        type: "object",
        properties: { how: { enum: ["soft", "hard"] } },
        required: ["how"],
        additionalProperties: false,
      };
      const tools = [{ name: "reset", description: "Resets.", inputSchema }];
      const calc = { command: process.execPath, args: hostileServer(place, { tools }) };
      const approver = agreeing();
      const haft = await place.open(`mcpServers: ${JSON.stringify({ calc })}\n`, { approver });
      await haft.app.sources.settled();
      for (const params of [{ how: "mixed" }, {}, { how: "soft", also: 1 }, "soft"])
        expect(await haft.call("calc__reset", params)).toMatchObject({ code: "TOOL_VALIDATION" });
      expect(approver.asked).toEqual([]);
      expect(await haft.call("calc__reset", { how: "soft" })).toMatchObject({
        success: true,
        trust: "untrusted",
      });
      expect(haft.app.registry.get("calc__reset")).toMatchObject({ origin: "mcp:calc" });
      expect(approver.asked).toMatchObject([{ effects: [{ kind: "connect", target: "mcp:calc" }] }]);
    },
  );

  test("npx -y server: the exact command is consented to before it first runs", inSandbox, async () => {
    const place = new Installation();
    const program = place.write("project/bin/npx", '#!/bin/sh\necho "$@" > ran\n');
    chmodSync(program, 0o755);
    const config = (version: string) => {
      const server = { command: program, args: ["-y", `server@${version}`], paths: ["."] };
      return JSON.stringify({ mcpServers: { calc: server } });
    };
    const file = place.write("project/haft.config.yml", config("1"));
    const ran = async () => {
      const { app } = await place.open("sandbox: { atLeast: none }\n");
      await app.sources.settled();
      await app.close();
      const said = join(place.folder, "ran");
      return existsSync(said) ? readFileSync(said, "utf8").trim() : undefined;
    };
    expect(await ran()).toBeUndefined();
    expect(describeOpenings(await parseConfig(config("1"), file, () => undefined))).toEqual([
      `start the MCP server calc: ${program} -y server@1`,
      '… with paths ["."]',
    ]);
    place.home.trust(file, config("1"));
    expect(await ran()).toBe("-y server@1");
    writeFileSync(file, config("2"));
    rmSync(join(place.folder, "ran"));
    expect(await ran()).toBeUndefined();
  });
});

describe("what comes with later tools", () => {
  test.for(["that of the packs", "that of the message", "both"])(
    "an embedding that fails opens nothing that the message does not name: %s",
    async (which) => {
      const packs: Pack[] = ["web: read pages", "self: edit the source and deploy it"].map((text) => {
        const [name = "", description = ""] = text.split(": ");
        const make = () =>
          defineTool({ name, description, parameters: { type: "object" }, execute: () => name });
        return { name, description, alwaysLoad: false, factories: [make] };
      });
      const failing = { id: "none", embed: () => Promise.reject(new Error("the API is down")) };
      const working = {
        id: "one",
        embed: async (texts: readonly string[]) => texts.map(() => new Float32Array([1, 0])),
      };
      const embeddings = await initPackEmbeddings(packs, which === "that of the message" ? working : failing);
      const embedding = which === "that of the packs" ? new Float32Array([1, 0]) : undefined;
      const message = { text: "read these pages for me", embedding };
      const tools = selectAndCreateTools(packs, message, embeddings, {});
      expect(tools.map(({ name }) => name)).toEqual(["web"]);
    },
  );

  test("memory: no third party reads the pages that are remembered, nor what is said of them", async () => {
    const pages: (string | undefined)[] = [];
    const page = await listenOnLoopback(({ url }, response) => response.end(pages.push(url)));
    const heard: string[] = [];
    const api = await listenOnLoopback(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const { input = [] } = JSON.parse(body) as { readonly input?: readonly string[] };
      const content = JSON.stringify({ memories: [{ id: "k1", nodes: [], edges: [] }] });
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          data: input.map((_, index) => ({ index, embedding: [1, 0, 0, 0] })),
          choices: [{ message: { content }, finish_reason: "stop" }],
        }),
      );
      heard.push(body);
    });
    const configured = { provider: "openai-compatible", url: `${api.url}/v1`, model: "m" };
    for (const [search, memory] of [
      [{ embedder: "none" }, {}],
      [{ embedder: configured }, { model: configured }],
    ] as const) {
      const reached = reachedHosts();
      const haft = await new Installation().open(JSON.stringify({ tools: { search }, memory }));
      const content = `The minutes are at ${page.url}/minutes?token=${canary}, says Ada`;
      expect(await haft.call("memory_store", { content })).toMatchObject({ success: true });
      const found = await haft.call("memory_recall", { query: "where are the minutes?" });
      expect(found.text).toContain(canary);
      haft.app.background.start([haft.app.context], 0);
      const isNoted = () => expect(heard.join("")).toContain("says Ada");
      if ("model" in memory) await vi.waitFor(isNoted, 30_000);
      await haft.app.background.close();
      expect([...reached]).toEqual("model" in memory ? [api.host] : []);
    }
    expect(heard.filter((body) => body.includes("input")).join("")).toContain("where are the minutes?");
    expect(pages).toEqual([]);
  });
  test.todo("schedule_create: a real second schedule is never dropped silently (with schedules)");
});

/** The hosts that this process connects to, or tries to, until the test is over. */
function reachedHosts(): ReadonlySet<string> {
  const hosts = new Set<string>();
  const onSocket = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    socket.on("connectionAttempt", (address, port) => hosts.add(`${address}:${port}`));
  };
  subscribe("net.client.socket", onSocket);
  onTestFinished(() => void unsubscribe("net.client.socket", onSocket));
  return hosts;
}

/** An MCP server that is what its file says. */
function hostileServer(place: Installation, server: HostileServer): string[] {
  const program = join(place.folder, "server.ts");
  copyFileSync(new URL("../fixtures/attacks/hostile-server.ts", import.meta.url), program);
  return [program, place.write("project/server.json", JSON.stringify(server))];
}
