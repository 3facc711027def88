import { expect, test } from "vitest";
import type { SandboxLevel } from "../../host/index.ts";
import type { Mode } from "../../kernel/index.ts";
import { mergeConfigs, onlyStricter, tightenConfig } from "./merge-configs.ts";

const deny = { decision: "deny", tool: "bash" } as const;
const ask = { decision: "ask", effect: "write" } as const;
const allow = { decision: "allow", tool: "bash" } as const;
const policyTests = [{ tool: "bash", expect: "deny" }] as const;

test("onlyStricter() keeps deny and ask rules, tests, and what could be stricter, and nothing else", () => {
  expect(
    onlyStricter({
      tools: { allowedPaths: ["/"], allowedHosts: ["*"] },
      serve: { port: 1, clients: { a: { agent: "a" } } },
      store: { path: "/elsewhere" },
      approvals: { wait: 1000 },
      permissions: [allow, deny, ask],
      shadowPermissions: [allow],
      mode: "locked",
      sandbox: { atLeast: "bubblewrap", memory: 1, processes: 1_000_000 },
      policyTests,
    }),
  ).toEqual({ permissions: [deny, ask], mode: "locked", sandbox: { atLeast: "bubblewrap" }, policyTests });
  expect(onlyStricter({ tools: { timeout: 1 }, mode: "auto", sandbox: { memory: 1 } })).toEqual({});
});

test("of a project that is not trusted, `agent.reflect` can turn reflection off, and nothing else of `agent` is taken", () => {
  const agent = { model: "theirs", memoryModel: "theirs", reflect: "off" } as const;
  expect(onlyStricter({ agent })).toEqual({ agent: { reflect: "off" } });
  expect(onlyStricter({ agent: { ...agent, reflect: "both" } })).toEqual({});
  const own = { agent: { model: "mine", reflect: "both" } } as const;
  expect(tightenConfig(own, onlyStricter({ agent })).agent).toEqual({ model: "mine", reflect: "off" });
  expect(tightenConfig(own, {}).agent).toEqual({ model: "mine", reflect: "both" });
});

test("mergeConfigs() lets a trusted project's values stand over the user's, and keeps the rules and tests of both", () => {
  expect(
    mergeConfigs(
      {
        tools: { timeout: 1, maxConcurrent: 2 },
        mode: "locked",
        permissions: [deny],
        serve: { expose: "lean", clients: { a: { expose: "all" }, b: { packs: ["git"] } } },
        sandbox: { atLeast: "bubblewrap", memory: 512 },
        secrets: { key: "keyring" },
        policyTests,
      },
      {
        tools: { timeout: 5 },
        mode: "auto",
        permissions: [allow],
        serve: { port: 1, clients: { b: { agent: "b" } } },
        sandbox: { atLeast: "none" },
        secrets: { key: "file" },
        policyTests,
      },
    ),
  ).toEqual({
    tools: { timeout: 5, maxConcurrent: 2 },
    serve: { expose: "lean", port: 1, clients: { a: { expose: "all" }, b: { agent: "b" } } },
    store: {},
    approvals: {},
    memory: {},
    mode: "auto",
    sandbox: { atLeast: "none", memory: 512 },
    snapshots: {},
    secrets: { key: "keyring" },
    permissions: [deny, allow],
    policyTests: [...policyTests, ...policyTests],
  });
});

test("mergeConfigs() lets rules to come stand in place of the rules of their own file alone", () => {
  const shadow = (own: object, project: object) => mergeConfigs(own, project).shadowPermissions;
  expect(shadow({ permissions: [deny] }, { permissions: [allow], shadowPermissions: [ask] })).toEqual([
    deny,
    ask,
  ]);
  expect(shadow({ permissions: [deny], shadowPermissions: [] }, { permissions: [allow] })).toEqual([allow]);
  expect(shadow({ permissions: [deny] }, { permissions: [allow] })).toBeUndefined();
});

test.for<[Mode | undefined, Mode | undefined, Mode | undefined]>([
  [undefined, "plan", "plan"],
  [undefined, "locked", "locked"],
  [undefined, "auto", undefined],
  [undefined, "ask", undefined],
  ["auto", "ask", "ask"],
  ["auto", "plan", "plan"],
  ["plan", "locked", "plan"],
  ["locked", "plan", "locked"],
  ["locked", "ask", "locked"],
  ["locked", undefined, "locked"],
])("tightenConfig() makes of the user's mode %s and a stranger's %s: %s", ([own, project, mode]) => {
  const merged = tightenConfig(
    own === undefined ? {} : { mode: own },
    onlyStricter(project === undefined ? {} : { mode: project }),
  );
  expect(merged.mode).toBe(mode);
});

test.for<[SandboxLevel | undefined, SandboxLevel, SandboxLevel | undefined]>([
  [undefined, "bubblewrap", "bubblewrap"],
  [undefined, "process-group", undefined],
  [undefined, "none", undefined],
  ["none", "process-group", "process-group"],
  ["bubblewrap", "other-user", "bubblewrap"],
])("tightenConfig() makes of the user's level %s and a stranger's %s: %s", ([own, project, level]) => {
  const merged = tightenConfig(
    { sandbox: { memory: 512, ...(own && { atLeast: own }) } },
    onlyStricter({ sandbox: { atLeast: project, memory: 999_999 } }),
  );
  expect(merged.sandbox).toEqual({ memory: 512, ...(level && { atLeast: level }) });
});

test("tightenConfig() takes nothing else of a stranger's file but rules and tests", () => {
  const own = { tools: { allowedHosts: [] }, permissions: [allow], serve: { port: 1 } };
  expect(
    tightenConfig(own, onlyStricter({ tools: { allowedHosts: ["*"] }, permissions: [allow, deny] })),
  ).toEqual({
    ...mergeConfigs(own, {}),
    permissions: [allow, deny],
  });
});

test("a project makes the ledger required, and lets calls go unrecorded only once it is trusted", () => {
  const own = { ledger: "best-effort" } as const;
  expect(tightenConfig(own, onlyStricter({ ledger: "required" })).ledger).toBe("required");
  expect(onlyStricter({ ledger: "best-effort" })).toEqual({});
  expect(mergeConfigs({}, { ledger: "best-effort" }).ledger).toBe("best-effort");
});
