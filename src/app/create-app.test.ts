import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agreeing, Installation } from "../../test/support/installation.ts";
import { sandboxHere } from "../../test/support/sandbox-levels.ts";

const { inSandbox } = await sandboxHere();

describe("createApp()", () => {
  test("has a call that nobody can be asked for wait while a person watches, in whatever process, and says so where none does", async () => {
    const place = new Installation();
    const outside = place.write("outside.txt", "text");
    const opened = await place.open();
    expect(await opened.call("read", { path: outside })).toMatchObject({
      error: expect.stringContaining("while a person watches for questions (`haft approvals watch`)"),
    });
    const { app: watching } = await place.open();
    const { approvals } = await watching.store();
    const end = await approvals.watch({ kind: "terminal", identity: "owner:ada" });
    const waiting = opened.call("read", { path: outside }, { onAwaited: (id) => void answer(id) });
    const answer = (id: string) => approvals.answer(id, { approved: true, by: "owner:ada" });
    expect(await waiting).toMatchObject({ success: true, text: expect.stringContaining("text") });
    await end();
  });

  test("takes a file that one session has read for unread by another, also where requests stand for themselves", async () => {
    const place = new Installation();
    const opened = await place.open();
    const codex = { name: "codex", version: "1" };
    const readers = [
      { origin: { channel: "mcp", session: "s_1", client: codex } },
      { origin: { channel: "mcp", principal: "mcp:ada", client: codex } },
    ];
    const others = [
      { origin: { channel: "mcp", session: "s_2", client: codex } },
      { origin: { channel: "mcp", principal: "mcp:ada", client: { ...codex, name: "cursor" } } },
      { origin: { channel: "mcp", principal: "mcp:eve", client: codex } },
      { origin: { channel: "cli" } },
    ];
    for (const [index, reader] of readers.entries()) {
      const path = `${index}.txt`;
      place.write(`project/${path}`, "before");
      await opened.call("read", { path }, reader);
      for (const other of others)
        expect(await opened.call("write", { path, content: "x" }, other)).toMatchObject({
          code: "FILE_NOT_READ",
        });
      expect(await opened.call("write", { path, content: "after" }, reader)).toMatchObject({ success: true });
    }
  });

  test.for(["coding", "task", "full", "queue"] as const)(
    "gives every tool of profile %s its origin and its pack",
    async (profile) => {
      const { app } = await new Installation().open("", { profile });
      const tools = app.registry.list();
      expect(new Set(tools.map(({ origin }) => origin))).toEqual(new Set(["haft"]));
      const packs = Map.groupBy(tools, ({ pack }) => pack);
      expect(new Set(packs.keys())).toEqual(
        new Set([
          "files",
          "network",
          "calls",
          "data",
          "system",
          "secrets",
          "memory",
          "selection",
          "usage",
          ...(profile === "task" ? [] : ["shell"]),
          ...(profile === "queue" ? ["tasks"] : []),
          ...(profile === "full" ? ["todos"] : []),
        ]),
      );
      expect(packs.get("files")?.map(({ name }) => name)).toContain(
        profile === "coding" ? "write" : "write_file",
      );
    },
  );

  test("gives configured tools the same, whose code is loaded at once", async () => {
    const { app } = await new Installation().open("tools: { webRead: { provider: jina } }");
    expect(app.registry.get("web_read")).toMatchObject({ origin: "haft", pack: "network" });
  });

  test("lets a rule on a pack or an origin decide", async () => {
    const installation = await new Installation().open(
      "permissions: [{ decision: deny, pack: data }, { decision: deny, origin: haft, tool: current_time }]",
    );
    for (const [tool, params] of [
      ["json_parse", { text: "1" }],
      ["current_time", {}],
    ] as const)
      expect(await installation.call(tool, params)).toMatchObject({ code: "TOOL_PERMISSION" });
  });

  test("goes by the mode of the configuration, and by its own option before that", async () => {
    const place = new Installation();
    const planned = await place.open("mode: plan");
    expect(planned.app.mode).toBe("plan");
    expect(await planned.call("write", { path: "a", content: "x" })).toMatchObject({
      code: "TOOL_PERMISSION",
    });
    const asking = await place.open("mode: plan", { mode: "ask" });
    expect(asking.app.mode).toBe("ask");
    expect(await asking.call("write", { path: "a", content: "x" })).toMatchObject({ success: true });
  });

  test("takes no milder mode from a project that is not trusted, and a stricter one", async () => {
    const place = new Installation();
    place.write("project/haft.config.yml", "mode: auto\n");
    expect((await place.open()).app.mode).toBe("ask");
    place.write("project/haft.config.yml", "mode: locked\n");
    expect((await place.open()).app.mode).toBe("locked");
    expect((await place.open("mode: plan")).app.mode).toBe("plan");
  });

  test.for([".git/hooks/pre-commit", ".vscode/tasks.json", ".mcp.json", ".claude/settings.json", ".envrc"])(
    "asks before %s is written, also in the workspace and whatever a rule allows",
    async (path) => {
      const place = new Installation();
      const installation = await place.open("permissions: [{ decision: allow, tool: write }]");
      expect(await installation.call("write", { path, content: "x" })).toMatchObject({
        code: "TOOL_PERMISSION",
      });
      expect(existsSync(join(place.folder, path))).toBe(false);
      const approver = agreeing();
      expect(await installation.call("write", { path, content: "x" }, { approver })).toMatchObject({
        success: true,
      });
      const terms = approver.asked.flatMap(({ offers }) => offers.flatMap((offer) => offer.terms));
      expect(terms.filter((term) => term !== "session")).toEqual([]);
    },
  );

  test("keeps the question of a call that nobody can be asked about, and names it", async () => {
    const place = new Installation();
    const installation = await place.open();
    const refused = await installation.call("write", { path: join(place.root, "a"), content: "x" });
    const { approvals } = await installation.app.store();
    const [question] = await approvals.list({ state: "pending" });
    expect(refused.text).toContain(`a person answers the question ${question?.id}`);
    await approvals.answer(question?.id as string, { approved: true, by: "owner:ada" });
    const again = () => installation.call("write", { path: join(place.root, "a"), content: "x" });
    expect([(await again()).success, (await again()).success]).toEqual([true, false]);
  });

  test("waits for an answer, and lets it be given, as long as the configuration says", async () => {
    const place = new Installation();
    const installation = await place.open("approvals: { wait: 1000, life: 60000 }");
    const silent = { identity: "owner:ada", ask: () => new Promise<never>(() => {}) };
    const call = await installation.call(
      "write",
      { path: join(place.root, "a"), content: "x" },
      { approver: silent },
    );
    expect(call.text).toContain("nobody answered within 1000 ms");
    const [question] = await (await installation.app.store()).approvals.list({ state: "pending" });
    const { createdAt = 0, expiresAt = 0 } = question ?? {};
    expect(expiresAt - createdAt).toBe(60_000);
  });

  test("holds commands to the limits of the configuration", inSandbox, async (context) => {
    const place = new Installation();
    const installation = await place.open("sandbox: { atLeast: none, fileSize: 1 }");
    const { limits } = await installation.app.sandbox.report();
    if (limits.fileSize === "none") return context.skip("nothing holds files to a size here");
    const command = "head -c 3000000 /dev/zero > big; true";
    await installation.call("bash", { command }, { approver: agreeing() });
    expect(statSync(join(place.folder, "big")).size).toBe(1024 ** 2);
  });

  test("refuses commands at a level below the configuration's, and says how to have them", async () => {
    const place = new Installation();
    const { sandbox } = (await place.open("sandbox: { atLeast: none }")).app;
    const { level } = await sandbox.report();
    const strict = await place.open("sandbox: { atLeast: bubblewrap }");
    const result = await strict.call("bash", { command: "pwd" });
    if (level === "bubblewrap") expect(result).toMatchObject({ success: true });
    else expect(result).toMatchObject({ code: "SANDBOX_REFUSED", text: expect.stringContaining("atLeast") });
  });
});
