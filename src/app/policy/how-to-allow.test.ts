import { describe, expect, test } from "vitest";
import type { Effect, Verdict } from "../../kernel/index.ts";
import { howToAllow, narrowestRule } from "./how-to-allow.ts";

const run = (target: string, more: Partial<Effect> = {}): Effect => ({
  kind: "run",
  target,
  within: false,
  ...more,
});
const say = (verdict: Partial<Verdict>, id?: string) =>
  howToAllow("/w")("bash", { decision: "ask", effects: [], ...verdict }, id);

describe("narrowestRule()", () => {
  test.for<[string, Effect | undefined, string | undefined]>([
    ["a call without effects", undefined, "- { decision: allow, tool: bash }"],
    ["a command", run("npm test"), '- { decision: allow, tool: bash, effect: run, target: "npm test" }'],
    [
      "a command with a star, which would mean far more",
      run("ls *.ts"),
      '- { decision: allow, tool: bash, effect: run, target: "ls ?.ts" }',
    ],
    [
      "a command with quotes",
      run('echo "a: b"'),
      '- { decision: allow, tool: bash, effect: run, target: "echo \\"a: b\\"" }',
    ],
    ["what can't be read", run("$x", { opaque: true }), undefined],
  ])("is for %s", ([, effect, rule]) => {
    expect(narrowestRule("bash", effect)).toBe(rule);
  });
});

describe("howToAllow()", () => {
  test("names the kept question first, and a rule for every effect second", () => {
    expect(say({ effects: [run("npm test"), run("npm run lint")] }, "a_1")).toBe(
      "to allow it once, a person answers the question a_1, at a terminal or console of theirs; then make the same call again; to allow it always, the owner adds " +
        '- { decision: allow, tool: bash, effect: run, target: "npm test" } and ' +
        '- { decision: allow, tool: bash, effect: run, target: "npm run lint" } ' +
        "to permissions in /w/haft.config.yml and trusts it",
    );
  });

  test("names the tools that a plan calls, not the one that calls them", () => {
    const parts = [
      { toolName: "http_get", effects: [{ kind: "connect", target: "https://example.com", within: false }] },
      { toolName: "shout", effects: [] },
    ] as const;
    expect(say({ effects: parts[0].effects, parts }, "a_1")).toContain(
      'adds - { decision: allow, tool: http_get, effect: connect, target: "https://example.com" } and - { decision: allow, tool: shout } to permissions',
    );
  });

  test("names a terminal where no question is kept", () => {
    expect(say({ effects: [run("npm test")] })).toMatch(
      /^to allow it once, a person makes the call at a terminal of theirs, where haft asks them; to allow it always, the owner adds - /,
    );
  });

  test("names no rule where a rule asks, as none undoes it", () => {
    expect(say({ rule: { decision: "ask" }, effects: [run("x")] }, "a_1")).toBe(
      "a rule asks here, which no other rule undoes: a person answers the question a_1, at a terminal or console of theirs; then make the same call again",
    );
  });

  test("names no command that says yes: a model reads it, and may have a shell", () => {
    for (const verdict of [
      { effects: [run("x")] },
      { effects: [run("x")], rule: { decision: "ask" } as const },
    ])
      for (const id of ["a_1", undefined])
        expect(say(verdict, id)).not.toMatch(/`|approve|haft (?:approvals|call|trust)/);
  });

  test("names no rule where one would have to allow far more than the call", () => {
    expect(say({ effects: [run("npm test"), run("$x", { opaque: true })] }, "a_1")).toBe(
      "to allow it once, a person answers the question a_1, at a terminal or console of theirs; then make the same call again",
    );
  });
});
