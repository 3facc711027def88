import { mkdirSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { openCommandGate } from "../../../test/support/command-gate.ts";
import { openStore, type Store } from "../../app/store/index.ts";
import {
  type Approval,
  type ApprovalAnswer,
  type CallContext,
  ToolExecutor,
  ToolRegistry,
} from "../../kernel/index.ts";

const gate = openCommandGate({ plant: (folder) => mkdirSync(`${folder}/tests`), undo: true });
afterAll(() => gate[Symbol.asyncDispose]());

/** The gate of `bash` with a store, where commands are judged and do not run; who is asked answers so. */
async function openGate(answer: (approval: Approval) => ApprovalAnswer) {
  const store = await openStore({ path: ":memory:" });
  const registry = new ToolRegistry();
  registry.register({
    ...gate.bash,
    effects: ({ command }: { readonly command: string }) => gate.confinedEffects(command),
    execute: () => "ran",
  });
  const asked: Approval[] = [];
  const approver = {
    identity: "owner:ada",
    async ask(approval: Approval) {
      asked.push(approval);
      return answer(approval);
    },
  };
  const executor = new ToolExecutor(registry, { grants: store.grants, approver });
  const run = async (command: string, context: CallContext = {}) =>
    (await executor.execute("bash", { command }, { allowedPaths: [gate.folder], ...context })).success;
  return { store, asked, run };
}

const yesToProject = (): ApprovalAnswer => ({
  approved: true,
  by: "owner:ada",
  remember: { offer: "project", term: "always" },
});

test("one yes lets the project's own programs run with any arguments, until it is taken back", async () => {
  const { store, asked, run } = await openGate(yesToProject);
  await using _ = closing(store);
  expect(await run("npm test")).toBe(true);
  expect(asked[0]?.offers.find(({ id }) => id === "project")).toMatchObject({
    label: "run this project's own programs in the sandbox (no network, only this folder, can be undone)",
    terms: ["session", "time", "always"],
  });
  for (const line of ["npx tsc --noEmit", "make", "node build.js --all", "pytest -x | tail -5"])
    expect(await run(line)).toBe(true);
  expect(asked).toHaveLength(1);
  const [grant] = await store.grants.list();
  expect(grant).toMatchObject({ patterns: [{ reach: "project", confined: true }], uses: 4 });
  await store.grants.revoke(grant?.id ?? "", "owner:ada");
  await run("npm test");
  expect(asked).toHaveLength(2);
});

test("the yes does not cover another folder, what data from outside chose, nor other programs", async () => {
  const { store, asked, run } = await openGate(yesToProject);
  await using _ = closing(store);
  await run("npm test");
  await run("npm test", { allowedPaths: [gate.folder, gate.outside] });
  await run("npm test", { trust: "untrusted" });
  await run("npm install");
  await run("rm notes.txt");
  expect(asked).toHaveLength(5);
  expect(asked.slice(2).flatMap(({ offers }) => offers.map(({ id }) => id))).not.toContain("project");
});

test("the yes does not cover code or configuration from outside of the folder", async () => {
  const outside = [
    "eslint -c /x/eslint.config.js src",
    "eslint --config=/x/eslint.config.js src",
    "eslint -c ../outside/file src",
    "eslint -c ~/eslint.config.js src",
    "eslint --config=~/eslint.config.js src",
    "eslint -c way-out/file src",
    'eslint -c "$HOME/eslint.config.js" src',
    "cd src && eslint -c ../../outside/file .",
    "pytest -c /x/pytest.ini",
    "pytest -c../outside/file",
    "mocha --require /x.js",
    "vitest run --config file:///x.ts",
    "vitest '--execArgv=--import /x.js'",
    "npx tsc -p ../outside",
    "node build.js ../outside/file",
    "node -r /x.js build.js",
    "node --import /x.js build.js",
    "node -e 'process.exit()'",
    "python -c 'import x'",
    "make -f /x/Makefile",
    "make -C /x",
    "make DIR=/x",
    "npm --prefix /x test",
    "npm test -- --config /x",
    "NODE_OPTIONS=--require=/x.js npm test",
    "NODE_OPTIONS='--require /x.js' npm test",
    "env PYTHONPATH=/x pytest",
  ];
  expect(await whichRun(outside)).toEqual([]);
});

test("the yes covers arguments that name files of the project, addresses and texts", async () => {
  const inside = [
    "eslint -c ./eslint.config.js src",
    "eslint --config=src/a.ts src --ext .ts,.tsx",
    "vitest run -t 'GET /users answers'",
    "pytest tests/a.py::test_b -x",
    `eslint ${gate.folder}/src`,
    "npm test -- --url=http://localhost:3000/a",
    "tsc --outFile /dev/null",
  ];
  expect(await whichRun(inside)).toEqual(inside);
});

test("the yes is not offered where nothing can be undone", async () => {
  const bare = openCommandGate();
  const effects = await bare.confinedEffects("npm test");
  expect(effects.some(({ project }) => project === true)).toBe(false);
  await bare[Symbol.asyncDispose]();
});

/** Lines that run unasked after the yes. */
async function whichRun(lines: readonly string[]): Promise<readonly string[]> {
  const run: string[] = [];
  for (const line of lines) if (await gate.runsWithProjectYes(line)) run.push(line);
  return run;
}

function closing(store: Store): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => store.close() };
}
