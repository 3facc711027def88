import { expect, test } from "vitest";
import { ConsoleViews } from "../../../../test/support/console-views.ts";

test("secrets are shown by name, with the tools that ask for them, and never by value", async () => {
  const views = await ConsoleViews.open();
  await views.app.secrets.set("local", "DEPLOY_KEY", "a-value-nobody-sees");
  const secrets = await views.ask("GET /secrets");
  expect(secrets).toContainEqual({
    name: "DEPLOY_KEY",
    createdAt: expect.stringMatching(/Z$/),
    changedAt: expect.stringMatching(/Z$/),
    tools: [],
  });
  expect(JSON.stringify(secrets)).not.toContain("a-value");
  expect(await views.ask("POST /secrets/delete", { body: { name: "DEPLOY_KEY" } })).toEqual({
    deleted: true,
  });
  await expect(views.ask("POST /secrets/delete", { body: { name: "DEPLOY_KEY" } })).rejects.toMatchObject({
    code: "CONSOLE_NOT_FOUND",
  });
});

test("hooks come with their runs", async () => {
  const views = await ConsoleViews.open(
    "hooks:\n  - { id: note, type: post_tool, command: 'true', tools: [read] }\n",
  );
  expect(await views.ask("GET /hooks")).toMatchObject({
    hooks: [{ id: "note", type: "post_tool", tools: ["read"], runs: 0, errors: 0 }],
    problems: [],
  });
});

test("the doctor says of each part how it is", async () => {
  const views = await ConsoleViews.open("", { sources: "once" });
  const { checks } = await views.ask("POST /doctor");
  const names = checks.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["node", "home", "config", "tools", "store", "ledger", "memory"]),
  );
  expect(checks.find(({ name }) => name === "store")).toMatchObject({ status: "ok" });
});
