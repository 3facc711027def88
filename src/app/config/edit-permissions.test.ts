import { expect, test } from "vitest";
import { readPermissionsText, withPermissions } from "./edit-permissions.ts";

const file = "config.yml";
const config = `# mine
mode: ask
permissions: # in this order
  # the repository
  - { tool: bash, command: "git *", decision: allow }
  - tool: write
    decision: ask # always

# the rest
tools:
  timeout: 5000
`;

test("readPermissionsText() gives the rules as they are written, with their comments", async () => {
  expect(await readPermissionsText(config, file)).toBe(
    `# the repository
- { tool: bash, command: "git *", decision: allow }
- tool: write
  decision: ask # always
`,
  );
  expect(await readPermissionsText("mode: ask\n", file)).toBe("");
  expect(await readPermissionsText("permissions: [{ decision: deny }]\n", file)).toBe("[{ decision: deny }]");
});

test.for([config, "permissions:\n- decision: ask\n", "mode: ask\n"])(
  "withPermissions() says the same if the rules are as they were in %j",
  async (text) => {
    const next = await withPermissions(text, await readPermissionsText(text, file), file);
    expect(await readPermissionsText(next, file)).toBe(await readPermissionsText(text, file));
    if (text === config) expect(next).toBe(config);
  },
);

test("withPermissions() keeps every other line", async () => {
  const next = await withPermissions(config, "# all of it\n- decision: ask\n", file);
  expect(next).toBe(`# mine
mode: ask
permissions: # in this order
  # all of it
  - decision: ask

# the rest
tools:
  timeout: 5000
`);
});

test.for([
  ["", "permissions:\n  - decision: deny\n"],
  ["mode: ask", "mode: ask\npermissions:\n  - decision: deny\n"],
  ["permissions: []\nmode: ask\n", "permissions:\n  - decision: deny\nmode: ask\n"],
  ["permissions:\n- decision: ask\nmode: ask\n", "permissions:\n  - decision: deny\nmode: ask\n"],
])("withPermissions() writes rules into %j", async ([text, expected]) => {
  expect(await withPermissions(text as string, "- decision: deny", file)).toBe(expected);
});

test("withPermissions() takes the key away with its last rule", async () => {
  expect(await withPermissions("mode: ask\npermissions:\n  - decision: ask\n", " \n", file)).toBe(
    "mode: ask\n",
  );
});

test.for([
  ["tool: bash\ndecision: allow", "CONFIG_INVALID"],
  ["- {", "CONFIG_SYNTAX"],
  ["- decision: ask\nmode: auto", "CONFIG_SYNTAX"],
])("withPermissions() refuses %j", async ([rules, code]) => {
  await expect(withPermissions(config, rules as string, file)).rejects.toMatchObject({ code });
});

test("withPermissions() refuses a change that another part of the file would share", async () => {
  const shared = "permissions: &rules\n  - decision: ask\nshadowPermissions: *rules\n";
  await expect(withPermissions(shared, "- decision: deny", file)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
  const user = "shadowPermissions: &rules\n  - decision: ask\npermissions: *rules\n";
  expect(await withPermissions(user, "- decision: deny", file)).toBe(
    "shadowPermissions: &rules\n  - decision: ask\npermissions:\n  - decision: deny\n",
  );
});
