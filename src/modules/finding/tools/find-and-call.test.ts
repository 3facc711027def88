import { describe, expect, test } from "vitest";
import { git, gitNames, makeTool, openWorld } from "../../../../test/support/selection-world.ts";

describe("search_tools", () => {
  test("says what fits in a line each, what is shown already, and how to call the others", async () => {
    const { call } = openWorld({
      found: ["read_file", "git_log", "search_tools"],
      note: "Only words decided.",
    });
    expect(await call("search_tools", { goal: "what changed lately" })).toEqual({
      tools: [
        {
          name: "git_log",
          description: "Do git log.",
          category: "git",
          parameters: "path: string, limit?: integer",
        },
        {
          name: "read_file",
          description: "Do read file.",
          category: "files",
          parameters: "path: string, limit?: integer",
          loaded: true,
        },
      ],
      message:
        'Those with "loaded" you call by name; call_tool {"name": "git_log", "arguments": {…}} calls one now; load_tools {"tool":"git_log"} shows it from your next turn on.',
      note: "Only words decided.",
    });
  });

  test("says only what its caller can do", async () => {
    const { call } = openWorld({ found: ["git_log"], callHidden: false });
    expect(await call("search_tools", { goal: "log" })).toMatchObject({
      message: 'load_tools {"tool":"git_log"} shows it from your next turn on.',
    });
    expect(await call("search_tools", { goal: "log", toolset: "git_log" })).toMatchObject({
      tools: [{ loaded: true }],
      message: "Call them by name.",
    });
    const byCallTool = {
      tools: [{ name: "git_log" }],
      message: 'call_tool {"name": "git_log", "arguments": {…}} calls one now.',
    };
    for (const world of [{ context: { blockedTools: ["load_tools"] } }, { passing: true }]) {
      const other = openWorld({ found: ["git_log"], ...world });
      expect(await other.call("search_tools", { goal: "log", toolset: "" })).toMatchObject(byCallTool);
    }
    const passing = openWorld({ found: ["git_log"], passing: true });
    expect(await passing.call("search_tools", { goal: "log", toolset: "git/*" })).toMatchObject(byCallTool);
    const bare = openWorld({ found: ["git_log"], context: { blockedTools: ["load_tools", "call_tool"] } });
    expect(await bare.call("search_tools", { goal: "log" })).toMatchObject({
      message: "You can call none of them here.",
    });
  });

  test("brings along what the best need, beside the limit, and not what others need", async () => {
    const needed = { git_commit: "get_git_status", git_pull: "git_commit", git_log: "git_diff" };
    const { call } = openWorld({ found: gitNames, needed });
    expect(await call("search_tools", { goal: "commit", limit: 2 })).toMatchObject({
      tools: [
        { name: "get_git_status" },
        { name: "git_commit", needed_by: "get_git_status" },
        { name: "git_pull", needed_by: "git_commit" },
        { name: "git_push" },
      ],
    });
  });

  test("says that nothing fits where nothing does", async () => {
    expect(await openWorld().call("search_tools", { goal: "a goal" })).toEqual({
      tools: [],
      message: "No tool fits this goal; say it in other words, or see the categories with browse_tools.",
    });
  });

  test("gives at most as many as asked for, five by default, and tells the goals of those alone", async () => {
    const told: unknown[] = [];
    const goals = {
      found: (speaker: { readonly scope?: string | undefined }, ...rest: unknown[]) =>
        told.push([speaker.scope, ...rest]),
    };
    const { call } = openWorld({ found: gitNames, goals, context: { scope: "tenant" } });
    const names = async (params: object) =>
      ((await call("search_tools", { goal: "git", ...params })) as { tools: { name: string }[] }).tools
        .length;
    expect([await names({}), await names({ limit: 2 }), await names({ limit: 20 })]).toEqual([5, 2, 11]);
    expect(told[1]).toEqual(["tenant", "git", gitNames.slice(0, 2)]);
  });
});

describe("describe_tools", () => {
  test("has the whole description and the schema of each, and the nearest names of what is not there", async () => {
    const { call } = openWorld({ context: { blockedTools: ["git_push"] } });
    expect(await call("describe_tools", { names: ["git_log", "git_lgo", "git_push", "zzzzzz"] })).toEqual({
      tools: [
        {
          name: "git_log",
          description: "Do git log. And more.",
          category: "git",
          annotations: {},
          parameters: git[8]?.parameters,
        },
      ],
      unknown: [
        { name: "git_lgo", message: "there is no tool of this name; nearest: git_log" },
        { name: "git_push", message: 'blockedTools of this call has "git_push"' },
        { name: "zzzzzz", message: "there is no tool of this name; search_tools finds tools for a goal" },
      ],
    });
  });

  test("leaves out what names the dialect, which every schema would repeat", async () => {
    const { call } = openWorld();
    const described = await call("describe_tools", { names: ["browse_tools"] });
    expect(described).toMatchObject({ tools: [{ parameters: { properties: { category: {} } } }] });
    expect(JSON.stringify(described)).not.toContain("$schema");
  });

  test("a tool whose schema can't be used is said to be so", async () => {
    const bad = makeTool("git", "bad", {
      parameters: { type: "object", properties: { a: { type: "nonsense" } } },
    });
    const { call, registry } = openWorld({ tools: [bad] });
    registry.checkAll();
    expect(await call("describe_tools", { names: ["bad"] })).toMatchObject({
      unknown: [{ name: "bad", message: expect.stringMatching(/^it can't be used: /) }],
    });
  });

  test("with a handle and no names it describes what that loaded", async () => {
    const { call } = openWorld();
    expect(await call("describe_tools", { toolset: "grep, files/*, nothing" })).toMatchObject({
      tools: [{ name: "grep" }, { name: "read_file" }, { name: "write_file" }],
    });
    expect(await call("describe_tools", { toolset: "" })).toEqual({ tools: [] });
    expect(await call("describe_tools", {})).toMatchObject({ code: "TOOL_VALIDATION" });
  });

  test("what is over the bound is named, not cut, and the first is there whatever its size", async () => {
    const wide = Array.from({ length: 4 }, (_, index) =>
      makeTool("wide", `wide_${index}`, { description: "x".repeat(9000) }),
    );
    const { call } = openWorld({ tools: wide });
    expect(await call("describe_tools", { toolset: "wide/*" })).toMatchObject({
      tools: [{ name: "wide_0" }, { name: "wide_1" }],
      left_out: ["wide_2", "wide_3"],
      message: "For those in left_out call describe_tools again with their names.",
    });
  });
});

describe("call_tool", () => {
  test("is the call of the tool that it names: the ledger has that one, and lists bind it", async () => {
    const { call, ledger } = openWorld({ context: { blockedTools: ["git_push"] } });
    const params = { name: "git_log", arguments: { path: "." } };
    expect(await call("call_tool", params)).toBe("git_log done");
    expect(await call("call_tool", JSON.stringify(params))).toBe("git_log done");
    expect(await call("call_tool", { ...params, arguments: '{"path": "."}' })).toBe("git_log done");
    expect(await call("call_tool", { ...params, name: "git_push" })).toMatchObject({
      code: "TOOL_NOT_CALLABLE",
    });
    expect(await call("call_tool", { name: "git_log" })).toMatchObject({ code: "TOOL_VALIDATION" });
    const names = ledger.entries.flatMap((entry) => ("started" in entry ? [entry.started.toolName] : []));
    expect(names).toEqual(["git_log", "git_log", "git_log"]);
  });

  test.for([
    [{}, "TOOL_VALIDATION"],
    [{ name: 7, arguments: {} }, "TOOL_VALIDATION"],
    [{ name: "git_log", path: "." }, "TOOL_VALIDATION"],
    [{ name: "nothing" }, "TOOL_NOT_FOUND"],
  ] as const)("refuses %j with %s", async ([params, code]) => {
    expect(await openWorld().call("call_tool", params)).toMatchObject({ code });
  });

  test("a call that is wrapped again and again is refused, and not made", async () => {
    const { call, ledger } = openWorld();
    let params: object = { name: "git_log", arguments: { path: "." } };
    for (let layer = 0; layer < 5; layer++) params = { name: "call_tool", arguments: params };
    expect(await call("call_tool", params)).toMatchObject({ code: "CALL_WRAPPED" });
    expect(ledger.entries.some((entry) => "started" in entry && entry.started.toolName === "git_log")).toBe(
      false,
    );
  });
});
