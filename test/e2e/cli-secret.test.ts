import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "./cli-process.ts";

const canary = "canary-Zq7-value";

test("haft secret set reads the value from standard input, and list and delete know it by name alone", async () => {
  const place = new Place();
  const set = await place.run(["secret", "set", "TOKEN"], `${canary}\n`);
  expect(set).toEqual({ exitCode: 0, stdout: "TOKEN is stored\n", stderr: "" });
  const listed = await place.run(["secret", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ name: "TOKEN", changedAt: expect.any(String) }]);
  const shown = await place.run([
    "call",
    "bash",
    JSON.stringify({ command: `printf '%s' ${canary}; printf '%s' ${canary} | base64` }),
    "--yes",
  ]);
  expect(shown.stdout).toContain("[redacted:TOKEN]");
  const audit = await place.run(["audit", "--json"]);
  const refused = await place.run(["secret", "delete", "TOKEN"]);
  expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining("add --yes") });
  const gone = await place.run(["secret", "delete", "TOKEN", "--yes", "--json"]);
  expect(JSON.parse(gone.stdout)).toEqual({ name: "TOKEN", deleted: true });
  expect(await place.run(["secret", "delete", "TOKEN", "--yes"])).toMatchObject({ exitCode: 3 });
  for (const { stdout, stderr } of [set, listed, shown, audit, refused, gone])
    expect(stdout + stderr).not.toContain(canary);
  const files = readdirSync(place.home, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["haft.db", "secret.key"]));
  for (const { parentPath, name } of files) {
    expect(readFileSync(join(parentPath, name)).includes(canary)).toBe(false);
  }
});

test("haft secret takes no value as an argument", async () => {
  const place = new Place();
  const result = await place.run(["secret", "set", "TOKEN", canary], "");
  expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("CLI_USAGE") });
});

test.each([
  [["secret", "set"], "", 2, "CLI_USAGE"],
  [["secret", "set", "TOKEN"], "short", 2, "SECRET_VALUE"],
  [["secret", "set", "no name"], canary, 2, "SECRET_NAME"],
  [["secret", "show", "TOKEN"], "", 2, "CLI_USAGE"],
] as const)("haft %j is refused", async (args, input, exitCode, code) => {
  const result = await new Place().run([...args], input);
  expect(result).toMatchObject({ exitCode, stderr: expect.stringContaining(`[${code}]`) });
});

test("haft secret rotate makes a passphrase the key, and without it says how to give it", async () => {
  const place = new Place();
  await place.run(["secret", "set", "TOKEN"], canary);
  const given = { HAFT_PASSPHRASE: "correct horse battery" };
  const rotated = await place.run(["secret", "rotate", "--json"], "", given);
  expect(JSON.parse(rotated.stdout)).toEqual({ version: 2, kind: "passphrase" });
  const without = await place.run(["secret", "set", "OTHER"], canary);
  expect(without).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("set HAFT_PASSPHRASE [SECRET_KEY_MISSING]"),
  });
  const wrong = await place.run(["secret", "set", "OTHER"], canary, {
    HAFT_PASSPHRASE: "wrong horse battery",
  });
  expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("[SECRET_KEY_WRONG]") });
  expect(await place.run(["secret", "set", "OTHER"], canary, given)).toMatchObject({ exitCode: 0 });
});
