import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Place } from "./cli-process.ts";

/** A project whose configuration is trusted. */
async function projectWith(config: string): Promise<Place> {
  const place = new Place();
  writeFileSync(join(place.folder, "haft.config.yml"), config);
  expect(await place.run(["trust", "--yes"])).toMatchObject({ exitCode: 0 });
  return place;
}

describe("haft policy list", () => {
  test("numbers the rules, says where each comes from, and marks those that no tool fits", async () => {
    const place = await projectWith(
      "mode: plan\npermissions: [{ decision: deny, tool: 'http_*' }, { decision: deny, tool: 'htp_*' }]\n",
    );
    const { exitCode, stdout, stderr } = await place.run(["policy"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^Mode plan\. /);
    expect(stdout).toMatch(/\n +1 +default +allow effect read, within true\n/);
    expect(stdout).toMatch(/\n +\d+ +project file +deny tool http_\*\n/);
    expect(stdout).toMatch(/\n +\d+ +project file +deny tool htp_\* {2}\[no tool fits it\]\n/);
    expect(stdout).toMatch(/\n +\d+ +mode +deny effect write \(mode plan only looks\)\n/);
    const { mode, rules } = JSON.parse((await place.run(["policy", "list", "--json"])).stdout) as {
      mode: string;
      rules: { number: number; source: string }[];
    };
    expect(mode).toBe("plan");
    expect(rules.map(({ number }) => number)).toEqual(rules.map((_, at) => at + 1));
    const all = (await place.run(["policy", "list", "--all"])).stdout.trimEnd().split("\n");
    expect(all).toHaveLength(rules.length + 3);
  });
});

describe("haft policy explain", () => {
  test.for([
    [["json_parse", '{"text":"1"}'], 0, "json_parse is allowed in mode ask"],
    [["write", "-a", "path=a", "-a", "content=b"], 0, "by rule 2 (default): allow effect write, within true"],
    [["write", "-a", "path=a", "-a", "content=b", "--mode", "plan"], 4, "leave mode plan"],
    [
      ["write", "-a", "path=/elsewhere", "-a", "content=b"],
      7,
      "- { decision: allow, tool: write, effect: write",
    ],
    [
      ["write", "-a", "path=/elsewhere", "-a", "content=b", "--mode", "locked"],
      4,
      "is refused in mode locked",
    ],
    [["write", "-a", "path=.env", "-a", "content=b"], 7, "No other rule undoes one that asks or denies"],
    [["write", "-a", "path=a", "-a", "content=b", "--agent", "sub"], 4, "deny effect write, agent sub"],
    [["write", "-a", "path=a", "-a", "content=b", "--channel", "telegram"], 7, "channel telegram"],
    [["write", "-a", "path=a", "-a", "content=b", "--untrusted"], 4, "with data from outside"],
  ] as const)("%j leaves with %i", async ([args, exitCode, text]) => {
    const place = await projectWith(
      "permissions: [{ decision: deny, effect: write, agent: sub }, { decision: ask, effect: write, channel: telegram }, { decision: deny, effect: write, trust: untrusted }]\n",
    );
    const finished = await place.run(["policy", "explain", ...args]);
    expect(finished).toMatchObject({ exitCode, stderr: "" });
    expect(finished.stdout).toContain(text);
    expect(existsSync(join(place.folder, "a"))).toBe(false);
  });

  test("takes arguments from standard input, and prints an object with --json", async () => {
    const place = new Place();
    const { exitCode, stdout } = await place.run(
      ["policy", "explain", "json_parse", "-", "--json"],
      '{"text":"1"}',
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "allow",
      decision: "allow",
      tool: "json_parse",
      params: { text: "1" },
      effects: [{ decision: "allow", rule: { number: 6, source: "default" }, others: [] }],
    });
  });

  test.for([
    [["explain"], 2, "name a tool"],
    [["explain", "json_pars", "{}"], 3, 'did you mean "json_parse"'],
    [["explain", "json_parse", "{}"], 2, "TOOL_VALIDATION"],
    [["list", "json_parse"], 2, 'Cannot run "haft policy list" with "json_parse"'],
    [["list", "--file", "a"], 2, 'Cannot run "haft policy list" with --file'],
    [["shadow", "--mode", "plan"], 2, "--mode"],
    [["shadow", "--since", "yesterday"], 2, "30m, 2h or 7d"],
    [["shadow", "--file", "none.yml"], 3, "name a file that is there"],
    [["test"], 3, "policyTests:"],
    [["test", "none.yml"], 3, "name a file that is there"],
    [["forget"], 2, "Allowed choices are list, explain, test, shadow"],
  ] as const)("haft policy %j leaves with %i", async ([args, exitCode, text]) => {
    const finished = await new Place().run(["policy", ...args]);
    expect(finished).toMatchObject({ exitCode, stdout: "" });
    expect(finished.stderr).toContain(text);
  });
});

describe("haft policy test", () => {
  const tests = `policyTests:
  - { tool: write, arguments: { path: a, content: b }, expect: allow }
  - { name: nothing is deleted by data from outside, tool: bash, arguments: { command: rm a }, trust: untrusted, expect: ask, by: from outside }
`;

  test("prints the count and leaves with 0 where all pass, and with 1 and what decided where one fails", async () => {
    const place = await projectWith(tests);
    expect(await place.run(["policy", "test"])).toEqual({
      exitCode: 0,
      stdout: "2 of 2 policy tests passed\n",
      stderr: "",
    });
    const failing = await projectWith(`${tests}  - { name: never, tool: wirte, expect: deny }\n`);
    expect(await failing.run(["policy", "test"])).toEqual({
      exitCode: 1,
      stdout:
        'FAILED  never\n        Cannot find tool "wirte"; did you mean "write"\n2 of 3 policy tests passed\n',
      stderr: "",
    });
    expect(JSON.parse((await failing.run(["policy", "test", "--json"])).stdout)).toMatchObject({
      passed: false,
      results: [{ passed: true }, { passed: true }, { passed: false, name: "never", expected: "deny" }],
    });
  });

  test("takes the tests of another file, and an untrusted policy only with --as-trusted", async () => {
    const place = new Place();
    mkdirSync(join(place.folder, "ci"));
    writeFileSync(join(place.folder, "haft.config.yml"), "permissions: [{ decision: allow, tool: write }]\n");
    writeFileSync(
      join(place.folder, "ci/policy.yml"),
      "policyTests: [{ tool: write, arguments: { path: /elsewhere/a, content: b }, expect: allow }]\n",
    );
    const strict = await place.run(["policy", "test", "ci/policy.yml"]);
    expect(strict).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("haft trust") });
    expect(strict.stdout).toContain("expected allow, decided ask");
    expect(await place.run(["policy", "test", "ci/policy.yml", "--as-trusted"])).toEqual({
      exitCode: 0,
      stdout: "1 of 1 policy tests passed\n",
      stderr: "",
    });
  });
});

describe("haft policy shadow", () => {
  test("shows what rules to come would have decided otherwise, from the ledger alone", async () => {
    const place = await projectWith(
      'shadowPermissions: [{ decision: deny, tool: write, target: "**/*.txt" }]\n',
    );
    for (const name of ["a.txt", "b.md"])
      await place.run(["call", "write", "-a", `path=${name}`, "-a", "content=x"]);
    const { exitCode, stdout, stderr } = await place.run(["policy", "shadow", "--since", "1h"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: "1 of 2 calls would be decided otherwise\n",
    });
    expect(stdout).toMatch(/ +1 +write +allow +deny +c_\S+ +\{"path":"a\.txt","content":"x"\}\n$/);
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("x");
  });

  test("judges past calls by a file, and runs none of them", async () => {
    const place = new Place();
    await place.run(["call", "write", "-a", "path=a.txt", "-a", "content=x"]);
    writeFileSync(join(place.folder, "a.txt"), "changed since");
    writeFileSync(join(place.folder, "new.yml"), "mode: plan\n");
    const { stdout } = await place.run(["policy", "shadow", "--file", "new.yml", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      calls: 1,
      passedOver: 0,
      differences: [{ tool: "write", now: "allow", instead: "deny", count: 1 }],
    });
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("changed since");
  });
});

test.for([
  ["plan", 4, "mode plan only looks"],
  ["locked", 0, ""],
] as const)("haft call --mode %s leaves with %i", async ([mode, exitCode, text]) => {
  const place = new Place();
  const finished = await place.run(["call", "write", "-a", "path=a", "-a", "content=b", "--mode", mode]);
  expect(finished.exitCode).toBe(exitCode);
  expect(finished.stderr).toContain(text);
  expect(existsSync(join(place.folder, "a"))).toBe(exitCode === 0);
});
