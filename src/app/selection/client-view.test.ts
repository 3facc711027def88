import { expect, test } from "vitest";
import { Installation } from "../../../test/support/installation.ts";

const config = `
tools: { pinned: ["json_*"] }
serve:
  expose: lean
  clients:
    whole: { expose: all }
    scout: { agent: scout, tools: [sleep], packs: [secrets] }
`;

test("App.viewFor() goes by the client, then by the server, and by what stands over both", async () => {
  const { app } = await new Installation().open(config);
  const lean = (options: Parameters<typeof app.viewFor>[0]) => app.viewFor(options).exposed().lean;
  expect(lean({})).toBe(true);
  expect(lean({ otherwise: "all" })).toBe(false);
  expect(lean({ name: "whole" })).toBe(false);
  expect(lean({ name: "whole", otherwise: "lean" })).toBe(false);
  expect(lean({ name: "whole", expose: "lean" })).toBe(true);
});

test("App.viewFor() shows what is pinned, for all and for one client", async () => {
  const { app } = await new Installation().open(config);
  const shown = (name?: string) => {
    const view = app.viewFor({ name });
    const { shown } = view.open({ toolset: () => app.executor.toolset(view.bounds) });
    return shown.map((tool) => tool.name);
  };
  expect(shown()).toEqual(expect.arrayContaining(["read", "json_parse", "json_stringify", "call_tool"]));
  expect(shown()).not.toContain("sleep");
  expect(
    shown("scout")
      .filter((name) => !shown().includes(name))
      .toSorted(),
  ).toEqual(["secret_delete", "secret_list", "secret_store", "sleep"]);
});

test("App.viewFor() lets the agent of the server bind before that of a client", async () => {
  const { app } = await new Installation().open(config);
  expect(app.viewFor({ name: "scout" }).bounds).toMatchObject({ agentId: "scout" });
  expect(app.viewFor().bounds).toBe(app.context);
  const { app: bound } = await new Installation().open(config, { agent: "other" });
  expect(bound.viewFor({ name: "scout" }).bounds).toMatchObject({ agentId: "other" });
});
