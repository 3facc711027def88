import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { HostError } from "../../errors.ts";
import { Processes } from "../processes.ts";
import { Environment, type EnvironmentOwner } from "./environment.ts";

const processes = new Processes();
afterAll(() => processes.close());

const one: EnvironmentOwner = { scope: "local", agentId: "one" };
const two: EnvironmentOwner = { scope: "local", agentId: "two" };

function catchCode(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof HostError) return error.code;
    throw error;
  }
  return "none";
}

const variables = {
  PATH: "/bin",
  HOME: "/home/me",
  LANG: "C.UTF-8",
  LC_TIME: "de_DE.UTF-8",
  EMPTY: "",
  EDITOR: "vi",
  PWD: "/here",
  GITHUB_TOKEN: "ghp_1234567890",
  PIN_PASSWORD: "1234",
  DATABASE_URL: "postgres://app:correct-horse@db/app",
  KEYBOARD_LAYOUT: "en-intl-large",
};

test("Environment.get() reads the names on its list and refuses every other", () => {
  const environment = new Environment({ variables, readable: ["EDIT*", "GITHUB_TOKEN"] });
  expect(["PATH", "LC_TIME", "EDITOR", "TZ", "PWD"].map((name) => environment.get(one, name))).toEqual([
    "/bin",
    "de_DE.UTF-8",
    "vi",
    null,
    "/here",
  ]);
  for (const name of [
    "EMPTY",
    "DATABASE_URL",
    "NODE_OPTIONS",
    "toString",
    "__proto__",
    "GITHUB_TOKEN",
    "API_KEY",
  ]) {
    expect([name, catchCode(() => environment.get(one, name))]).toEqual([name, "ENVIRONMENT_HIDDEN"]);
  }
  for (const name of ["", "A=B", "1A", "A B", "A\0", "Ä", "x".repeat(257)]) {
    expect([name, catchCode(() => environment.get(one, name))]).toEqual([name, "ENVIRONMENT_NAME"]);
  }
});

test("Environment.set() changes what later processes of the same agent get, and nothing else", async () => {
  const environment = new Environment();
  const before = { ...process.env };
  expect(environment.set(one, "GREETING", "grüß dich\n'\"$(id)")).toBeNull();
  expect(environment.set(one, "GREETING", "hello")).toBe("grüß dich\n'\"$(id)");
  expect(environment.get(one, "GREETING")).toBe("hello");
  expect(environment.set(one, "TZ", "Asia/Tokyo")).toBe(process.env["TZ"] ?? null);
  expect(catchCode(() => environment.get(two, "GREETING"))).toBe("ENVIRONMENT_HIDDEN");
  expect(catchCode(() => environment.get({ scope: "other", agentId: "one" }, "GREETING"))).toBe(
    "ENVIRONMENT_HIDDEN",
  );
  const seenBy = async (owner: EnvironmentOwner) => {
    const signal = new AbortController().signal;
    return (
      await processes.runShell('echo "$GREETING"', {
        cwd: "/",
        environment: environment.childEnvironment(owner),
        signal,
      })
    ).stdout.text;
  };
  expect([await seenBy(one), await seenBy(two)]).toEqual(["hello\n", "\n"]);
  expect(environment.set(one, "GREETING", null)).toBe("hello");
  expect(await seenBy(one)).toBe("\n");
  expect(process.env).toEqual(before);
});

const fixedNames = [
  "PATH HOME SHELL LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES NODE_OPTIONS BASH_ENV ENV IFS PS4 BASH_FUNC_ls",
  "SHELLOPTS GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT GIT_DIR PYTHONSTARTUP PYTHONPATH PERL5OPT RUBYOPT",
  "JAVA_TOOL_OPTIONS SSH_ASKPASS PAGER HAFT_PROCESS npm_config_script_shell",
].flatMap((line) => line.split(" "));

test.for(fixedNames)(
  "Environment.set() refuses %s, which could make other commands run something else",
  (name) => {
    const environment = new Environment({ variables });
    const before = environment.childEnvironment(one);
    expect(catchCode(() => environment.set(one, name, "/tmp/x"))).toBe("ENVIRONMENT_FIXED");
    expect(environment.childEnvironment(one)).toEqual(before);
  },
);

test("Environment.set() takes what only names the author of a commit", () => {
  const environment = new Environment({ variables });
  environment.set(one, "GIT_AUTHOR_NAME", "me");
  expect(environment.childEnvironment(one)["GIT_AUTHOR_NAME"]).toBe("me");
});

test("Environment.set() refuses values that can't be kept exactly, and too much of them", () => {
  const environment = new Environment({ variables });
  for (const value of ["a\0b", "\ud800", "x".repeat(32_769)]) {
    expect(catchCode(() => environment.set(one, "A", value))).toBe("ENVIRONMENT_VALUE");
  }
  for (let count = 0; count < 100; count++) environment.set(one, `A${count}`, "x");
  expect(catchCode(() => environment.set(one, "ONE_MORE", "x"))).toBe("ENVIRONMENT_VALUE");
  environment.set(one, "A0", "changed");
  environment.set(one, "A0", null);
  environment.set(one, "ONE_MORE", "x");
  const full = () => {
    for (let agent = 0; ; agent++)
      environment.set({ scope: "local", agentId: `agent${agent}` }, "A", "x".repeat(32_000));
  };
  expect(catchCode(full)).toBe("ENVIRONMENT_VALUE");
});

test("Environment.set() does not tell the former value of a secret", () => {
  const environment = new Environment({ variables: { API_TOKEN: "from-outside" }, passed: ["API_TOKEN"] });
  expect(environment.set(one, "API_TOKEN", "mine")).toBeNull();
  expect(catchCode(() => environment.get(one, "API_TOKEN"))).toBe("ENVIRONMENT_HIDDEN");
  expect(environment.childEnvironment(one)["API_TOKEN"]).toBe("mine");
});

test("Environment.childEnvironment() passes the default names and those it is told, never all", () => {
  expect({ ...new Environment({ variables }).childEnvironment(one) }).toEqual({
    PATH: "/bin",
    HOME: "/home/me",
    LANG: "C.UTF-8",
    LC_TIME: "de_DE.UTF-8",
  });
  expect({
    ...new Environment({ variables: { EMPTY: "", X: "1" }, passed: ["EMPTY"] }).childEnvironment(one),
  }).toEqual({
    EMPTY: "",
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  });
});

test("Environment.secretValues() finds secrets by name and passwords in addresses, long enough to look for", () => {
  expect(new Environment({ variables }).secretValues()).toEqual(
    new Map([
      ["GITHUB_TOKEN", "ghp_1234567890"],
      ["DATABASE_URL", "correct-horse"],
    ]),
  );
});

const corpus = join(import.meta.dirname, "../../../../test/corpora/strings/blns.json");
const naughty = JSON.parse(readFileSync(corpus, "utf8")) as string[];

test("Environment and Processes give every naughty string on byte for byte, as value and as argument", async () => {
  const environment = new Environment({ variables: { PATH: process.env["PATH"] } });
  for (let at = 0; at < naughty.length; at += 60) {
    const some = naughty.slice(at, at + 60);
    some.forEach((value, index) => environment.set(one, `V${index}`, value));
    const { stdout } = await processes.run(
      [
        process.execPath,
        "-e",
        "process.stdout.write(JSON.stringify([process.argv.slice(1), process.env]))",
        "--",
        ...some,
      ],
      { cwd: "/", environment: environment.childEnvironment(one), signal: new AbortController().signal },
    );
    const [args, values] = JSON.parse(stdout.text) as [string[], Record<string, string>];
    expect(args).toEqual(some);
    expect(some.map((_, index) => values[`V${index}`])).toEqual(some);
  }
});

test("Environment refuses naughty strings as names, or takes them as names", () => {
  const environment = new Environment({ variables });
  for (const name of naughty) {
    expect(["ENVIRONMENT_NAME", "ENVIRONMENT_HIDDEN"]).toContain(catchCode(() => environment.get(one, name)));
    expect(["ENVIRONMENT_NAME", "ENVIRONMENT_FIXED", "none"]).toContain(
      catchCode(() => environment.set(two, name, "x")),
    );
  }
});
