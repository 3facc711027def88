import { describe, expect, test } from "vitest";
import { core, git, gitNames, makeTool, openWorld } from "../../../../test/support/selection-world.ts";
import { coreTools, selectionToolNames } from "../../../kernel/index.ts";

const gitDescription = "Branch, commit, push, PR, and merge operations";
const filesDescription = "Read, write, edit, search, list and move files and folders";

describe("what is shown, callable and allowed", () => {
  test("every tool can be called, whether it was loaded or not", async () => {
    const { call, shown } = openWorld();
    expect(shown()).toEqual(core);
    expect(await call("git_log", { path: "." })).toBe("git_log done");
    expect(shown()).toEqual(core);
  });

  test("the core can't be unloaded: no handle and no loading takes anything away", async () => {
    const { call, shown, begin } = openWorld();
    for (const params of [{ category: "git" }, { tool: "grep" }, { tool: "grep", toolset: "" }]) {
      await call("load_tools", params);
      expect(shown().slice(0, core.length)).toEqual(core);
    }
    expect(
      begin("grep")
        .shown.slice(0, core.length)
        .map(({ name }) => name),
    ).toEqual(core);
  });

  test("loading the same category twice is idempotent", async () => {
    const { call, shown } = openWorld();
    expect(await call("load_tools", { category: "git" })).toEqual({
      loaded: "git",
      tools_added: gitNames,
      message: "11 git tools are now available.",
      until_listed: expect.stringContaining('call it with call_tool {"name": "get_git_status"'),
    });
    expect(shown()).toEqual([...core, ...gitNames]);
    expect(await call("load_tools", { category: "git" })).toEqual({
      loaded: "git",
      tools_added: [],
      message: "Nothing to add: 11 git tools are available already.",
    });
    expect(shown()).toEqual([...core, ...gitNames]);
  });

  test("tool names are unique across all categories", () => {
    const { registry } = openWorld();
    expect(() => registry.register(makeTool("other", "git_log"))).toThrow(
      expect.objectContaining({ code: "TOOL_DUPLICATE" }),
    );
  });

  test.for(["coding", "task", "full", "queue"] as const)(
    "browse_tools and load_tools are core, in the profile %s",
    (profile) => {
      expect(coreTools[profile]).toEqual(expect.arrayContaining([...selectionToolNames]));
      expect(new Set(coreTools[profile]).size).toBe(coreTools[profile].length);
    },
  );

  test("browse_tools answers with each category's name, description and number of tools, and nothing else", async () => {
    const { call } = openWorld();
    const categories = [
      { name: "git", description: gitDescription, tool_count: 11 },
      { name: "files", description: filesDescription, tool_count: 3 },
    ];
    expect(await call("browse_tools", {})).toEqual({ categories });
    await call("load_tools", { category: "git" });
    expect(await call("browse_tools", {})).toEqual({ categories });
  });

  test("the answer of load_tools holds no schema: the next request of the interaction has them", async () => {
    const { call, interaction } = openWorld();
    expect(JSON.stringify(await call("load_tools", { category: "git" }))).not.toContain("limit");
    expect(interaction.shown.find(({ name }) => name === "git_log")?.parameters).toBe(git[8]?.parameters);
  });

  test("what was loaded is not kept for another interaction", async () => {
    const { call, begin } = openWorld();
    await call("load_tools", { category: "git" });
    expect(begin().shown.map(({ name }) => name)).toEqual(core);
  });
});

describe("browse_tools", () => {
  test("lists the tools of one category in their first sentences, in whatever case it is named", async () => {
    const { call } = openWorld();
    expect(await call("browse_tools", { category: " Files" })).toEqual({
      category: "files",
      description: filesDescription,
      tools: [
        { name: "read_file", description: "Do read file." },
        { name: "write_file", description: "Do write file." },
        { name: "grep", description: "Do grep." },
      ],
    });
  });

  test("counts only what its caller may use, and leaves out a category of which that is nothing", async () => {
    const { call } = openWorld({ context: { blockedTools: ["read_file", "*git*", "checkout_branch"] } });
    expect(await call("browse_tools", {})).toMatchObject({ categories: [{ name: "files", tool_count: 2 }] });
  });

  test("of a large category the first hundred are listed", async () => {
    const many = Array.from({ length: 130 }, (_, index) => makeTool("big", `big_${index}`));
    const listed = await openWorld({ tools: many }).call("browse_tools", { category: "big" });
    expect(listed).toMatchObject({ message: "30 more are not listed; search_tools finds them" });
    expect((listed as { tools: unknown[] }).tools).toHaveLength(100);
  });

  test.for([
    ["gti", 'use "git"; browse_tools lists all of them'],
    ["nonsense", 'use one of "git", "files"'],
    ["git_log", 'that is a tool; use load_tools {"tool":"git_log"}'],
  ])("refuses the category %j and says which there are", async ([category, hint]) => {
    const { call } = openWorld();
    for (const name of ["browse_tools", "load_tools"])
      expect(await call(name, { category })).toEqual({
        code: "CATEGORY_NOT_FOUND",
        error: `Cannot find a category "${category}": ${hint}`,
      });
  });
});

describe("load_tools", () => {
  test("shows single tools, one or several, in the order of the registry", async () => {
    const { call, shown } = openWorld();
    expect(await call("load_tools", { tool: "git_log" })).toEqual({
      loaded: "git_log",
      tools_added: ["git_log"],
      message: "git_log is now available.",
      until_listed: expect.stringMatching(
        /^If your list does not have git_log yet, call it with call_tool \{/,
      ),
    });
    expect(await call("load_tools", { tool: ["git_diff", "git_pull", "git_log"] })).toEqual({
      loaded: "git_diff, git_pull, git_log",
      tools_added: ["git_pull", "git_diff"],
      message: "3 tools are now available, 1 of them already before.",
      until_listed: expect.stringContaining("does not have git_pull yet"),
    });
    expect(await call("load_tools", { tool: "git_log" })).toMatchObject({
      tools_added: [],
      message: "Nothing to add: git_log is available already.",
    });
    expect(await call("load_tools", { tool: ["git_log", "read_file"] })).toMatchObject({
      tools_added: [],
      message: "Nothing to add: all 2 are available already.",
    });
    expect(shown()).toEqual([...core, "git_log", "git_pull", "git_diff"]);
    expect(await call("load_tools", { category: "files" })).toMatchObject({
      tools_added: ["grep"],
      message: "3 files tools are now available, 2 of them already before.",
    });
  });

  test("where the list can't grow the answer has the handle unasked", async () => {
    const { call } = openWorld({ passing: true });
    expect(await call("load_tools", { tool: "grep" })).toMatchObject({
      tools_added: ["grep"],
      message: expect.stringContaining("call them with call_tool"),
      toolset: "grep",
    });
  });

  test("with a handle the answer has the next one, which lists what is loaded", async () => {
    const { call, begin } = openWorld();
    expect(await call("load_tools", { category: "git", toolset: "" }, { interaction: begin() })).toEqual({
      loaded: "git",
      tools_added: gitNames,
      message:
        "11 git tools are now available; call them with call_tool, describe_tools with this toolset has their parameters.",
      toolset: "git/*",
    });
    const interaction = begin();
    expect(await call("load_tools", { tool: "grep", toolset: "git/*" }, { interaction })).toMatchObject({
      tools_added: ["grep"],
      toolset: "git/*, grep",
    });
    expect(interaction.shown.map(({ name }) => name)).toEqual([...core, ...gitNames, "grep"]);
  });

  test.for([
    [{ tool: "git_lgo" }, 'there is no tool of this name; use "git_log"'],
    [
      { tool: ["grep", "git"] },
      'there is no tool of this name; for the category of this name use load_tools {"category":"git"}',
    ],
    [{ tool: "zzzzzz" }, "search_tools finds tools for a goal, browse_tools lists the categories"],
    [{ tool: "git_push" }, 'blockedTools of this call has "git_push"'],
  ] as const)("loads nothing for %j and says what to do", async ([params, hint]) => {
    const { call, shown } = openWorld({ context: { blockedTools: ["git_push"] } });
    expect(await call("load_tools", params)).toEqual({
      code: "TOOL_NOT_LOADED",
      error: expect.stringContaining(hint),
    });
    expect(shown()).toEqual(core);
  });

  test("takes a category or tools, and not neither or both", async () => {
    const { call } = openWorld();
    for (const params of [{}, { category: "git", tool: "grep" }])
      expect(await call("load_tools", params)).toMatchObject({
        code: "TOOL_VALIDATION",
        error: expect.stringContaining('give either "category" or "tool"'),
      });
  });

  test("says that all is available where a call is outside of any interaction", async () => {
    const { call } = openWorld();
    expect(await call("load_tools", { category: "git" }, {})).toMatchObject({ tools_added: [] });
  });
});

test("all but call_tool only read, and none reaches outside", () => {
  const tools = openWorld()
    .registry.list()
    .filter(({ name }) => selectionToolNames.includes(name));
  expect(tools.map(({ name, annotations }) => [name, annotations.readOnly, annotations.openWorld])).toEqual([
    ["browse_tools", true, false],
    ["load_tools", true, false],
    ["search_tools", true, false],
    ["describe_tools", true, false],
    ["call_tool", false, true],
  ]);
});
