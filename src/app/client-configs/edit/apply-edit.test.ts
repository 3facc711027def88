import { describe, expect, test } from "vitest";
import { applyClientEdit, saysEdit, takeBackEdit } from "./apply-edit.ts";
import type { ClientEdit } from "./client-edit.ts";

const json: ClientEdit = {
  file: "settings.json",
  form: "json",
  changes: [
    { kind: "set", path: ["mcpServers", "haft"], value: { command: "node", args: ["haft", "mcp"] } },
    { kind: "add", path: ["permissions", "deny"], items: ["Bash", "Read"] },
  ],
};

const toml: ClientEdit = {
  file: "config.toml",
  form: "toml",
  changes: [
    { kind: "set", path: ["mcp_servers", "haft"], value: { command: "node", args: ["haft", "mcp"] } },
    { kind: "set", path: ["sandbox_mode"], value: "read-only" },
    { kind: "set", path: ["features", "shell_tool"], value: false },
  ],
};

const yaml: ClientEdit = {
  file: "config.yaml",
  form: "yaml",
  changes: [
    { kind: "set", path: ["extensions", "haft"], value: { cmd: "node", args: ["mcp"] } },
    { kind: "add", path: ["modes"], items: [{ slug: "haft", groups: ["mcp"] }], by: "slug" },
  ],
};

/** Applies and takes back, and answers with both texts. */
async function roundTrip(text: string, edit: ClientEdit) {
  const applied = await applyClientEdit(text, edit);
  const back = await takeBackEdit(applied.text, { ...edit, back: applied.back });
  return { text: applied.text, back: back.text, kept: back.kept };
}

describe("JSON", () => {
  const text = `{
    // my servers
    "mcpServers": { "other": { "command": "x" } }, /* one */
    "permissions": {
        "deny": [
            "Read", // never
        ],
    },
}
`;

  test("keeps comments, other content and the indentation, and adds what is missing", async () => {
    const { text: after } = await roundTrip(text, json);
    expect(after).toContain("// my servers");
    expect(after).toContain("// never");
    expect(after).toContain('"other"');
    expect(after).toContain('\n        "haft"');
    expect(after).toContain('"Bash"');
    expect(after.match(/"Read"/g)).toHaveLength(1);
  });

  test("takes back what it added, and nothing else", async () => {
    const { back } = await roundTrip(text, json);
    expect(back).toContain("// my servers");
    expect(back).toContain('"Read"');
    expect(back).not.toContain("haft");
    expect(back).not.toContain("Bash");
  });

  test("makes a file where there is none, and says that a file has it all", async () => {
    const { text: made } = await applyClientEdit(undefined, json);
    expect(JSON.parse(made)).toEqual({
      mcpServers: { haft: { command: "node", args: ["haft", "mcp"] } },
      permissions: { deny: ["Bash", "Read"] },
    });
    expect(await saysEdit(made, json)).toBe(true);
    expect(await saysEdit(text, json)).toBe(false);
  });

  test("leaves what its owner changed since, and says so", async () => {
    const { text: after, back } = await applyClientEdit(text, json);
    const changed = after.replace('"node"', '"bun"');
    const undone = await takeBackEdit(changed, { ...json, back });
    expect(undone.kept).toEqual(["mcpServers.haft"]);
    expect(undone.text).toContain("bun");
    expect(undone.text).not.toContain("Bash");
  });

  test.each(["[]", "{ no json", '{"permissions": "all"}'])("refuses to edit %s", async (strange) => {
    await expect(applyClientEdit(strange, json)).rejects.toMatchObject({
      code: expect.stringMatching(/^CONFIG_/),
    });
  });
});

describe("TOML", () => {
  const text = `model = "o9" # the best

# what I switched on
[features]
web = true # yes
shell_tool = true

[mcp_servers.haft]
url = "http://127.0.0.1:4280/mcp"

# another
[mcp_servers."other one"]
command = "x"
env = { A = "b" }
`;

  test("writes keys of the file itself before the first table, replaces a table, and keeps comments", async () => {
    const { text: after } = await applyClientEdit(text, toml);
    expect(after).toBe(`model = "o9" # the best
sandbox_mode = "read-only"

# what I switched on
[features]
web = true # yes
shell_tool = false

# another
[mcp_servers."other one"]
command = "x"
env = { A = "b" }

[mcp_servers.haft]
command = "node"
args = ["haft", "mcp"]
`);
  });

  test("takes back what it wrote", async () => {
    const { back } = await roundTrip(text, toml);
    expect(back).toContain('url = "http://127.0.0.1:4280/mcp"');
    expect(back).toContain("shell_tool = true");
    expect(back).not.toContain("sandbox_mode");
    expect(back).toContain("# another");
  });

  test("writes a new file, and an empty one", async () => {
    const { text: made } = await applyClientEdit(undefined, toml);
    expect(made).toContain("[features]\nshell_tool = false\n");
    expect(await saysEdit(made, toml)).toBe(true);
    expect((await applyClientEdit("", toml)).text).toBe(made);
  });

  test.each([
    "features = { shell_tool = true }\n",
    "features.shell_tool = true\n",
    'sandbox_mode = """\nother"""\n',
  ])("refuses what is written in a way that it does not know: %j", async (strange) => {
    await expect(applyClientEdit(strange, toml)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

describe("YAML", () => {
  const text = `# mine
extensions:
  # the shell
  developer:
    enabled: true
modes:
- slug: other
  # kept
  name: x
`;

  test("keeps comments and order, and replaces the item of the same name", async () => {
    const { text: after } = await applyClientEdit(text, yaml);
    expect(after).toContain("# mine");
    expect(after).toContain("# the shell");
    expect(after).toContain("# kept");
    const other: ClientEdit = {
      ...yaml,
      changes: [{ kind: "add", path: ["modes"], items: [{ slug: "haft", groups: [] }], by: "slug" }],
    };
    const again = (await applyClientEdit(after, other)).text;
    expect(again.match(/slug: haft/g)).toHaveLength(1);
  });

  test("takes back what it wrote", async () => {
    const { back } = await roundTrip(text, yaml);
    expect(back).toBe(text);
  });
});

test("A file of haft's own is written and removed whole; one that somebody else wrote is left", async () => {
  const edit: ClientEdit = {
    file: "haft.md",
    form: "text",
    changes: [{ kind: "write", text: "Written by `haft connect x`.\n" }],
  };
  const { text, back } = await applyClientEdit(undefined, edit);
  expect(await takeBackEdit(text, { ...edit, back })).toEqual({ text: undefined, kept: [] });
  expect(await takeBackEdit(`${text}more\n`, { ...edit, back })).toMatchObject({ kept: ["the whole file"] });
  await expect(applyClientEdit("my own\n", edit)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});
