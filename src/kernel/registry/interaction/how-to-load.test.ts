import { expect, test } from "vitest";
import { createTestExecutor } from "../../../../test/support/test-executor.ts";
import { defineTool } from "../../tool/tool.ts";
import { howToLoad } from "./how-to-load.ts";
import { ToolInteraction } from "./tool-interaction.ts";

function toolsetShowing(core: readonly string[], callHidden = true, blockedTools: readonly string[] = []) {
  const names = ["load_tools", "call_tool", "search_tools", "read", "git_log", "git_diff"];
  const { executor } = createTestExecutor(
    names.map((name) =>
      defineTool({ name, description: name, parameters: { type: "object" }, execute: () => name }),
    ),
  );
  const toolset = () => executor.toolset({ blockedTools });
  return executor.toolset({ blockedTools, interaction: new ToolInteraction({ toolset, core, callHidden }) });
}

test("howToLoad() names load_tools for what is hidden, ready to be copied", () => {
  const toolset = toolsetShowing(["load_tools", "call_tool", "read"], false);
  expect(howToLoad(["git_log", "read"], toolset)).toBe('load it with load_tools {"tool":"git_log"}');
  expect(howToLoad(["git_log", "git_diff"], toolset)).toBe(
    'load them with load_tools {"tool":["git_log","git_diff"]}',
  );
});

test("howToLoad() names call_tool where the list of tools can't grow", () => {
  const how = 'call it with call_tool {"name": "git_log", "arguments": {…}}';
  expect(howToLoad(["git_log"], toolsetShowing(["call_tool"]))).toBe(how);
  expect(howToLoad(["git_log"], toolsetShowing(["call_tool"], false))).toBeUndefined();
});

test("howToLoad() has nothing to say of tools that are shown, that are not there, or that the caller may not have", () => {
  const toolset = toolsetShowing(["load_tools", "read"], true, ["git_log"]);
  for (const name of ["read", "nothing", "git_log"]) expect(howToLoad([name], toolset)).toBeUndefined();
  expect(howToLoad(["git_diff"], toolsetShowing(["read"]))).toBeUndefined();
});
