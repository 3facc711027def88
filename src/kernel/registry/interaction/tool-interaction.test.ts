import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTestExecutor } from "../../../../test/support/test-executor.ts";
import type { ToolExecutor } from "../../call/executor.ts";
import { defineTool, type Tool } from "../../tool/tool.ts";
import type { ToolInfo } from "../../tool/tool-info.ts";
import { sourceRanks } from "../tool-sources.ts";
import { type InteractionOptions, ToolInteraction } from "./tool-interaction.ts";

/** `git/log` is the tool `log` of the pack `git`; without a pack it is of the category. */
function tool(place: string): Tool {
  const [name = "", pack] = place.split("/").reverse();
  return defineTool({
    name,
    description: `Do ${name}.`,
    category: "custom",
    ...(pack !== undefined && { pack }),
    parameters: { type: "object" },
    execute: () => name,
  });
}

function openInteraction(tools: readonly string[], options: Partial<InteractionOptions> = {}, handle = "") {
  const { registry, executor } = createTestExecutor(tools.map(tool));
  const all: InteractionOptions = { toolset: () => executor.toolset(), ...options };
  return { registry, executor, interaction: ToolInteraction.from(handle, all), all };
}

const listNames = (tools: readonly ToolInfo[]) => tools.map(({ name }) => name);
/** What a client of this interaction is shown and may call, by the gate. */
const createGate = (executor: ToolExecutor, interaction: ToolInteraction) =>
  executor.toolset({ interaction }).shown();

const gitAndFiles = ["git/log", "git/diff", "files/read", "files/move", "core/ask"];

describe("ToolInteraction", () => {
  test("shows the core from the start, in the order of the registry, and by globs and packs too", () => {
    expect(listNames(openInteraction(gitAndFiles).interaction.shown)).toEqual([]);
    const { interaction } = openInteraction(gitAndFiles, { core: ["ask", "r*"], corePacks: ["git"] });
    expect(listNames(interaction.shown)).toEqual(["log", "diff", "read", "ask"]);
    expect(interaction.handle).toBe("");
  });

  test("load() appends in the order of the registry and returns what is new; what is unknown is passed over", () => {
    const { interaction } = openInteraction(gitAndFiles, { core: ["ask"] });
    expect(interaction.load(["move", "log", "nothing", "ask", "log"])).toEqual(["log", "move"]);
    expect(interaction.load(["move", "log"])).toEqual([]);
    expect(interaction.loadPack("git")).toEqual(["diff"]);
    expect(listNames(interaction.shown)).toEqual(["ask", "log", "move", "diff"]);
    expect(interaction.handle).toBe("log, move, git/*");
  });

  test("a pack that was loaded shows what comes into it later behind everything that was shown before", () => {
    const { interaction, registry } = openInteraction(["git/log", "core/ask"], { core: ["ask", "later"] });
    interaction.loadPack("git");
    interaction.load(["nothing"]);
    const before = interaction.limits;
    registry.registerMany(["git/blame", "files/read", "core/later"].map(tool));
    expect(listNames(interaction.shown)).toEqual(["ask", "log", "later", "blame"]);
    expect(interaction.limits).not.toBe(before);
  });

  test("a tool that goes is not shown, and has its old place when it comes back", () => {
    const { interaction, registry } = openInteraction(gitAndFiles, { core: ["ask"] }, "git/*, read");
    expect(listNames(interaction.shown)).toEqual(["ask", "log", "diff", "read"]);
    registry.unregister("log");
    expect(listNames(interaction.shown)).toEqual(["ask", "diff", "read"]);
    registry.register(tool("git/log"));
    expect(listNames(interaction.shown)).toEqual(["ask", "log", "diff", "read"]);
  });

  test("its arrays stay the same until something that it shows changes", () => {
    const { interaction, registry } = openInteraction(gitAndFiles, { core: ["ask"] });
    const { shown, limits } = interaction;
    expect(interaction.shown).toBe(shown);
    registry.register(tool("files/other"));
    expect(interaction.limits).toBe(limits);
    interaction.load(["log"]);
    expect(interaction.limits).not.toBe(limits);
  });

  test("shows nothing that its caller may not use, whatever was loaded", () => {
    const { executor } = createTestExecutor(gitAndFiles.map(tool));
    const bounded = () => executor.toolset({ blockedTools: ["l*", "ask"] });
    const interaction = new ToolInteraction({ toolset: bounded, core: ["ask"] });
    expect(interaction.load(["log", "read"])).toEqual(["read"]);
    expect(interaction.loadPack("git")).toEqual(["diff"]);
    expect(listNames(interaction.shown)).toEqual(["read", "diff"]);
  });

  test("what lists of its caller hide stays hidden, and can be called as those lists say", () => {
    const { executor } = createTestExecutor(gitAndFiles.map(tool));
    const limits = [{ by: "the owner", shownTools: ["log", "ask"] }];
    const interaction = new ToolInteraction({ toolset: () => executor.toolset({ limits }), core: ["ask"] });
    expect(interaction.loadPack("git")).toEqual(["log"]);
    expect(interaction.load(["read"])).toEqual([]);
    expect(listNames(executor.toolset({ limits, interaction }).shown())).toEqual(["log", "ask"]);
    expect(executor.toolset({ limits, interaction }).of("read").callable.is).toBe(true);
  });

  test("a hidden tool can be called by name, unless callHidden is off; what was loaded can be called either way", async () => {
    for (const callHidden of [undefined, true, false]) {
      const { executor, interaction } = openInteraction(
        gitAndFiles,
        callHidden === undefined ? {} : { callHidden },
      );
      interaction.load(["log"]);
      expect(await executor.execute("log", {}, { interaction })).toMatchObject({ success: true });
      expect(await executor.execute("diff", {}, { interaction })).toMatchObject(
        callHidden === false ? { code: "TOOL_NOT_CALLABLE" } : { success: true },
      );
    }
  });

  test("an interaction for the same caller starts anew; a handle says what the other one had", () => {
    const { interaction, all } = openInteraction(gitAndFiles, { core: ["ask"] });
    interaction.loadPack("files");
    interaction.load(["diff"]);
    expect(listNames(new ToolInteraction(all).shown)).toEqual(["ask"]);
    const other = ToolInteraction.from(interaction.handle, all);
    expect(listNames(other.shown)).toEqual(["ask", "read", "move", "diff"]);
    expect(other.handle).toBe(interaction.handle);
  });
});

describe("a handle", () => {
  test.for([
    ['["git/*", "read"]', ["log", "diff", "read"]],
    ["`read`;git/*\n", ["read", "log", "diff"]],
    ["git", ["log", "diff"]],
    ["read, read, nothing, /*, %zz/*", ["read"]],
    ["", []],
    ["x".repeat(300), []],
  ] as const)("%j is read as far as it can be", ([handle, shown]) => {
    expect(listNames(openInteraction(gitAndFiles, {}, handle).interaction.shown)).toEqual(shown);
  });

  test("does not grow by what is shown anyway", () => {
    const { interaction } = openInteraction(gitAndFiles, { core: ["ask"] }, "ask, read");
    interaction.resume("read, ask, git/*, git");
    expect(interaction.handle).toBe("read, git/*");
  });

  test("keeps a tool and a pack that are not there yet", () => {
    const { interaction, registry } = openInteraction(gitAndFiles, {}, "late, server/*, read");
    expect(interaction.handle).toBe("late, server/*, read");
    registry.registerMany(["server/one", "other/late"].map(tool));
    expect(listNames(interaction.shown)).toEqual(["read", "late", "one"]);
  });

  test("is bounded: of one that nobody can have written only the beginning is read", () => {
    const names = Array.from({ length: 1500 }, (_, index) => `t${index}`);
    expect(openInteraction(names, {}, names.join(" ")).interaction.shown).toHaveLength(1000);
    expect(openInteraction(["read"], {}, `${",".repeat(64_000)}read`).interaction.shown).toEqual([]);
  });

  test("does not grow without end by handles that name what is not there; what is there is taken all the same", () => {
    const { interaction } = openInteraction(gitAndFiles);
    for (let handle = 0; handle < 4; handle++)
      interaction.resume(Array.from({ length: 900 }, (_, at) => `none_${handle}_${at}`).join(" "));
    expect(interaction.handle.split(", ")).toHaveLength(1000);
    expect(interaction.resume("read")).toEqual(["read"]);
    expect(interaction.handle).toMatch(/, read$/);
  });

  test("carries every name of a pack", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }), (pack) => {
        const { interaction, all, registry } = openInteraction([]);
        registry.register({ ...tool("one"), pack });
        interaction.loadPack(pack);
        expect(listNames(ToolInteraction.from(interaction.handle, all).shown)).toEqual(["one"]);
      }),
    );
  });
});

const places = ["a/a1", "a/a2", "a/a3", "b/b1", "b/b2", "c/c1", "c/c2", "d1"];
const anyPlaces = fc.subarray(places, { minLength: 0 });
const steps = fc.array(
  fc.oneof(
    fc.record({ load: fc.subarray(places.map((place) => tool(place).name)) }),
    fc.record({ pack: fc.constantFrom("a", "b", "c", "custom", "nothing") }),
    fc.record({ resume: fc.constantFrom("a/*, c1", "b2", "d1 b/*", "c") }),
    fc.record({ server: anyPlaces }),
  ),
  { maxLength: 20 },
);

test("whatever is loaded, comes and goes: what is shown keeps its order, and grows at its end", () => {
  fc.assert(
    fc.property(fc.subarray(["a1", "b2", "d1"]), steps, (core, taken) => {
      const { registry, executor, interaction } = openInteraction([], { core });
      const source = registry.source("server", sourceRanks.mcp);
      const everShown: string[] = [];
      for (const step of taken) {
        const before = listNames(interaction.shown);
        if ("server" in step) source.put(step.server.map(tool));
        else {
          const act = () => {
            if ("load" in step) return interaction.load(step.load);
            return "pack" in step ? interaction.loadPack(step.pack) : interaction.resume(step.resume);
          };
          const added = act();
          expect(added).toEqual(listNames(interaction.shown).filter((name) => !before.includes(name)));
          expect(act()).toEqual([]);
        }
        const shown = listNames(interaction.shown);
        everShown.push(...shown.filter((name) => !everShown.includes(name)));
        expect(shown).toEqual(everShown.filter((name) => registry.has(name)));
        expect(new Set(shown)).toEqual(new Set(listNames(createGate(executor, interaction))));
        for (const name of core) expect(shown.includes(name)).toBe(registry.has(name));
      }
    }),
  );
});
