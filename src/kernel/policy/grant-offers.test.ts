import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Effect, type EffectKind, effectKinds, effectVerbs } from "../tool/effect.ts";
import { coversEffect, describePattern } from "../tool/effect-pattern.ts";
import type { EffectPattern } from "./approval.ts";
import { makeGrantOffer, offersFor } from "./grant-offers.ts";

const key = { allowedPaths: ["/home/ada/project"] };

function run(target: string, marks: Partial<Effect> = {}): Effect {
  return { kind: "run", target, within: false, ...marks };
}

function file(kind: EffectKind, target: string): Effect {
  return { kind, target, within: false };
}

function listWider(...effects: Effect[]) {
  return offersFor(key, "always", effects).find(({ id }) => id === "wider");
}

describe("offersFor()", () => {
  test("offers exactly the call, and the command with any arguments, with an example and a near miss", () => {
    expect(offersFor(key, "always", [run("npm test -- --run", { confined: true })])).toEqual([
      {
        id: "exact",
        label: "exactly this call",
        covers: "run npm test -- --run",
        leaves: "the same tool with any other argument, or in another folder",
        terms: ["session", "time", "always"],
      },
      {
        id: "wider",
        label: "run `npm test` with any arguments, in the sandbox",
        patterns: [{ kind: "run", target: "npm test", reach: "arguments", confined: true }],
        covers: "run npm test --verbose",
        leaves: "run npm publish",
        terms: ["session", "time", "always"],
      },
    ]);
  });

  test("offers nothing where a rule says never, and a session at most where a rule says so", () => {
    expect(offersFor(key, "never", [run("npm test")])).toEqual([]);
    expect(offersFor(key, "session", [run("npm test")]).map(({ terms }) => terms)).toEqual([
      ["session"],
      ["session"],
    ]);
  });

  test.each([
    ["that can't be read", { opaque: true, confined: true }],
    ["with a known risk", { risk: "high risk: deletes" }],
  ] as const)("offers for a command %s nothing wider, and nothing for good", (_, marks) => {
    const offers = offersFor(key, "always", [run("npm test"), run("npm run x", marks)]);
    expect(offers.map(({ id, terms }) => [id, terms])).toEqual([["exact", ["session", "time"]]]);
  });

  test("offers nothing for what can't be read and has no sandbox around it", () => {
    expect(offersFor(key, "always", [run("npm test"), run("sh", { opaque: true })])).toEqual([]);
  });

  test("offers code of the project outside the sandbox, and deleting, for a time at most", () => {
    expect(listWider(run("npm test"))?.terms).toEqual(["session", "time"]);
    expect(listWider(file("delete", "/data/out/a"))?.terms).toEqual(["session", "time"]);
    expect(listWider(file("read", "/data/out/a"))?.terms).toEqual(["session", "time", "always"]);
  });

  test.each([
    ["npm run build --watch", "npm run build"],
    ["npm run build:all", "npm run build:all"],
    ["npm test", "npm test"],
    ["git add -A", "git add"],
    ["git commit -m 'a b'", "git commit"],
    ["cargo test --lib", "cargo test"],
    ["make all", "make all"],
    ["vitest run src", "vitest"],
    ["./gradlew test", "./gradlew test"],
  ])("generalises %s to %s", (target, prefix) => {
    expect(listWider(run(target))?.patterns).toEqual([{ kind: "run", target: prefix, reach: "arguments" }]);
  });

  test.each([
    "npm install left-pad",
    "npm publish",
    "npm run",
    "npm --prefix /elsewhere test",
    "npm run ../../x",
    "npx vitest",
    "git push origin main",
    "git fetch",
    "git -c core.pager=x add .",
    "rm -r build",
    "bash -c x",
    "sh build.sh",
    "python3 build.py",
    "node build.js",
    "env A=1 npm test",
    "A=1 npm test",
    "sudo npm test",
    "curl https://example.com",
    "docker run x",
    "make",
    "make -f other",
    "make CC=evil",
    "/tmp/npm test",
    "toString x",
    "__proto__ x",
    "",
    "npm test \u202egnp",
    "npm test 'a\nb'",
  ])("generalises %j to nothing", (target) => {
    expect(listWider(run(target))).toBeUndefined();
  });

  test.each([
    ["/data/out/a.txt", "/data/out"],
    ["/home/ada/other/a", "/home/ada/other"],
    ["C:\\data\\out\\a", "C:\\data\\out"],
    ["/data/*/a", "/data/*"],
  ])("generalises a file %s to %s", (target, folder) => {
    expect(listWider(file("write", target))?.patterns).toEqual([
      { kind: "write", target: folder, reach: "below" },
    ]);
  });

  test.each([
    "/a",
    "/data/a",
    "/home/ada/a",
    "/home/a",
    "/Users/ada/a",
    "/root/a",
    "/home/ada/project/a",
    "/etc/nginx/a",
    "/usr/local/bin/a",
    "/proc/self/mem",
    "C:\\a",
    "C:\\data\\a",
    "C:\\Users\\ada\\a",
    "C:\\Windows\\System32\\a",
    "relative/folder/a",
    "/data/o\u200but/a",
  ])(
    "generalises a file %j to nothing: its folder is a home, a root, the project or the system's",
    (target) => {
      expect(listWider(file("write", target))).toBeUndefined();
    },
  );

  test("generalises an origin to itself, whatever is sent there", () => {
    const offer = listWider(file("connect", "https://api.example.com"));
    expect(offer).toMatchObject({
      label: "connect to https://api.example.com, whatever is sent",
      covers: "connect to https://api.example.com",
      leaves: "connect to https://other.api.example.com",
    });
    expect(listWider(file("connect", "http://127.0.0.1:80"))?.leaves).toBe("connect to https://127.0.0.1:80");
    expect(listWider(file("connect", "example.com"))).toBeUndefined();
  });

  test("generalises a change of a memory to any change of that one, and nothing else of memory", () => {
    expect(listWider(file("write", "memory:human"))).toEqual({
      id: "wider",
      label: "change memory:human, whatever the change is",
      patterns: [{ kind: "write", target: "memory:human", reach: "same" }],
      covers: "change memory:human",
      leaves: "change memory:human-other",
      terms: ["session", "time", "always"],
    });
    const others: Effect[] = [
      file("write", "memory"),
      file("write", "memory:"),
      file("read", "memory:human"),
      file("delete", "memory:human"),
      { ...file("write", "memory:human"), risk: "another agent would read it" },
    ];
    expect(others.map((effect) => listWider(effect))).toEqual(others.map(() => undefined));
  });

  test("offers what covers every part of a call, and nothing where that is too much to read", () => {
    const offer = listWider(run("npm test"), run("mkdir out"), run("npm test -- a"));
    expect(offer?.label).toBe("run `npm test` with any arguments, and run `mkdir out`");
    expect(listWider(...["a", "b", "c", "d", "e"].map((name) => run(`npm run ${name}`)))).toBeUndefined();
    expect(listWider(run("mkdir out"))).toBeUndefined();
  });
});

const hostile = [
  "npm",
  "test",
  "run",
  "git",
  "add",
  "*",
  "**",
  "?",
  "..",
  ".",
  "a",
  "b",
  "-x",
  "'",
  "\\",
  "é",
  "https:",
  "data",
];
const target = fc
  .tuple(
    fc.constantFrom("", "/", "/data/", "https://", "npm ", "git add", "C:\\d\\"),
    fc.array(fc.tuple(fc.constantFrom(...hostile), fc.constantFrom(" ", "/", "", ".", "\\", ":")), {
      maxLength: 6,
    }),
  )
  .map(([start, words]) => start + words.flat().join(""));
const anyEffect: fc.Arbitrary<Effect> = fc
  .record({ kind: fc.constantFrom(...effectKinds), target, confined: fc.boolean() })
  .map(({ kind, target: text, confined }) => ({
    kind,
    target: text,
    within: false,
    ...(confined && { confined: true as const }),
  }));

/** The effect that `run npm test` tells of. */
function fromWords(text: string): Effect {
  const kind = effectKinds.find((one) => text.startsWith(`${effectVerbs[one]} `)) as EffectKind;
  return { kind, target: text.slice(effectVerbs[kind].length + 1), within: false };
}

describe("an offer", () => {
  test("covers the effects it was made for and its example, and not its near miss", () => {
    let wider = 0;
    fc.assert(
      fc.property(fc.array(anyEffect, { minLength: 1, maxLength: 3 }), (effects) => {
        const offer = listWider(...effects);
        if (offer?.patterns === undefined) return;
        wider++;
        const { patterns } = offer;
        const covered = (effect: Effect) => patterns.some((pattern) => coversEffect(pattern, effect));
        expect(effects.filter((effect) => !covered(effect))).toEqual([]);
        for (const confined of [{}, { confined: true }] as const) {
          expect(covered({ ...fromWords(offer.leaves), ...confined })).toBe(false);
        }
        expect(covered({ ...fromWords(offer.covers), confined: true })).toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect(wider).toBeGreaterThan(50);
  });

  test("covers no target that another character of it stands for", () => {
    fc.assert(
      fc.property(anyEffect, anyEffect, (effect, other) => {
        for (const pattern of listWider(effect)?.patterns ?? []) {
          if (!coversEffect(pattern, other)) continue;
          const separator = pattern.target.startsWith("/") ? "/" : "\\";
          const end = { same: "", arguments: " ", below: separator, project: "" }[pattern.reach];
          expect(other.target === pattern.target || other.target.startsWith(pattern.target + end)).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe("coversEffect()", () => {
  const pattern: EffectPattern = { kind: "run", target: "npm test", reach: "arguments" };

  test("goes by whole words and whole folders", () => {
    const taken = [
      "npm test",
      "npm test -- x",
      "npm tests",
      "npm testing",
      "npm  test",
      "npm test\tx",
      "npm",
    ];
    expect(taken.filter((text) => coversEffect(pattern, run(text)))).toEqual(["npm test", "npm test -- x"]);
    const folder: EffectPattern = { kind: "read", target: "/a/b", reach: "below" };
    const paths = ["/a/b", "/a/b/c", "/a/bc", "/a/b/../c", "/a/b/..", "/a/b/./c", "/a/b/..c", "/a/b\\c"];
    expect(paths.filter((path) => coversEffect(folder, file("read", path)))).toEqual([
      "/a/b",
      "/a/b/c",
      "/a/b/..c",
    ]);
  });

  test("covers nothing of another kind, opaque, risky, outside the sandbox it was for, or by an alias", () => {
    const confined = { ...pattern, confined: true } as const;
    expect(coversEffect(pattern, file("read", "npm test"))).toBe(false);
    expect(coversEffect(pattern, run("npm test", { opaque: true }))).toBe(false);
    expect(coversEffect(pattern, run("npm test", { risk: "medium risk" }))).toBe(false);
    expect(coversEffect(pattern, run("nmp test", { aliases: ["npm test"] }))).toBe(false);
    expect(coversEffect(confined, run("npm test"))).toBe(false);
    expect(coversEffect(confined, run("npm test", { confined: true }))).toBe(true);
    expect(coversEffect(pattern, run("npm test", { confined: true }))).toBe(true);
  });
});

test("describePattern() says a folder as a folder, and what in it no grant covers", () => {
  expect(describePattern({ kind: "delete", target: "C:\\a\\b", reach: "below" })).toBe(
    "delete anything in C:\\a\\b\\, except files that may hold secrets",
  );
  expect(describePattern({ kind: "write", target: "/a", reach: "below" })).toBe(
    "change anything in /a/, except files that may hold secrets and what programs run by themselves",
  );
});

test("makeGrantOffer() finds what was offered, for the terms it was offered for", () => {
  const offers = offersFor(key, "always", [run("npm test")]);
  expect(makeGrantOffer(offers, { offer: "exact", term: "always" })).toBe(offers[0]);
  expect(makeGrantOffer(offers, { offer: "wider", term: 1000 })).toBe(offers[1]);
  expect(makeGrantOffer(offers, { offer: "wider", term: "always" })).toBeUndefined();
  for (const term of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(makeGrantOffer(offers, { offer: "exact", term })).toBeUndefined();
  expect(makeGrantOffer(offers, { offer: "else", term: "session" })).toBeUndefined();
});
