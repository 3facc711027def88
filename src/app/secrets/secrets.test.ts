import { Buffer } from "node:buffer";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../../../test/support/loopback.ts";
import { forThisMachine } from "../../../test/support/machine-settings.ts";
import { needs } from "../../../test/support/needs.ts";
import {
  type Approval,
  type Approver,
  defineTool,
  type ToolEvent,
  type ToolUpdate,
} from "../../kernel/index.ts";
import { type App, createApp } from "../create-app.ts";
import { Home } from "../home.ts";
import { createSecretKeys } from "./secret-keys.ts";

const canary = 'canary-Zq7/+ é"val&ue';

interface Place {
  readonly folder: string;
  readonly home: Home;
}

function makePlace(config = ""): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-app-secrets-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const place = { folder: mkdtempSync(join(root, "project-")), home: new Home(join(root, "home")) };
  place.home.write("config.yml", forThisMachine(config));
  return place;
}

const yes: Approver = {
  identity: "owner:ada",
  ask: () => Promise.resolve({ approved: true, by: "owner:ada" }),
};

async function open(
  place: Place,
  approver: Approver = yes,
  onError: (error: unknown) => void = () => {},
): Promise<App> {
  const app = await createApp({ ...place, approver, onError });
  onTestFinished(() => app.close());
  return app;
}

/** The canary in every form that a tool may write it. */
const textForms = [
  canary,
  JSON.stringify(canary),
  JSON.stringify(JSON.stringify(canary)),
  encodeURIComponent(canary),
  encodeURIComponent(canary).replace(/%../g, (code) => code.toLowerCase()),
  Buffer.from(canary).toString("hex"),
  Buffer.from(canary).toString("hex").toUpperCase(),
];
const base64Forms = ["", "a", "ab", "abc"].flatMap((before) =>
  (["base64", "base64url"] as const).map((form) => Buffer.from(`${before}${canary} and more`).toString(form)),
);
const everyForm = [...textForms, ...base64Forms].join("\n");

/** What must be nowhere; of base64, the part that every text with the canary in that place has. */
const needles: readonly Buffer[] = [
  ...textForms.map((form) => Buffer.from(form.replace(/^[\\"]+|[\\"]+$/g, ""))),
  ...base64Forms.map((form) => Buffer.from(form.slice(8, 28))),
  Buffer.from(canary, "utf16le"),
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Lets a secret out wherever a tool can say anything. */
const leaky = defineTool({
  name: "leaky",
  description: "Says a secret everywhere.",
  parameters: {
    type: "object",
    properties: { how: { type: "string" }, text: { type: "string" } },
    required: ["how"],
  },
  secrets: ["TOKEN"],
  effects: ({ text }: { text?: string }) => [{ kind: "run", target: `echo ${text ?? ""}`, within: false }],
  async execute(params, context) {
    const { how } = params as { how: string };
    const secret = await context.secret("TOKEN");
    context.progress(1, 2, `at ${secret}`);
    for (const char of everyForm) context.output(char);
    switch (how) {
      case "text":
        return everyForm;
      case "object":
        return { [secret]: [secret, { deep: everyForm }], json: JSON.stringify({ secret }) };
      case "artifact":
        return `${"x".repeat(30_000)}${everyForm}${"y".repeat(30_000)}${everyForm}`;
      case "code":
        throw Object.assign(new Error("its code is a secret"), { code: secret });
      default:
        throw Object.assign(new Error(`failed with ${everyForm}`, { cause: new Error(secret) }), {
          details: { secret, [secret]: everyForm },
        });
    }
  },
});

describe("createApp()", () => {
  test("lets no stored secret out, in any encoding, whatever a tool does with it", async () => {
    const place = makePlace();
    const seen: unknown[] = [];
    const approvals: Approval[] = [];
    const approver: Approver = {
      identity: "owner:ada",
      ask: (approval) => {
        approvals.push(approval);
        return Promise.resolve({
          approved: true,
          by: "owner:ada",
          ...(approval.offers.length > 0 && { remember: { offer: "exact", term: "always" } }),
        });
      },
    };
    const errors: string[] = [];
    let streamed = "";
    const app = await open(place, approver, (error) => errors.push(String(error)));
    app.executor.events.on((event: ToolEvent) => void seen.push(event));
    app.registry.register(leaky);
    const context = {
      ...app.context,
      onUpdate: (update: ToolUpdate) => {
        seen.push(update);
        if (update.type === "output") streamed += update.text;
      },
    };
    const stored = await app.executor.run("secret_store", { key: "TOKEN", value: canary }, context);
    expect(stored).toMatchObject({ success: true, result: { stored: "TOKEN" } });
    app.executor.events.on(() => {
      throw new Error(`a listener knows ${canary}`);
    });
    for (const how of ["text", "object", "artifact", "code", "error"]) {
      const result = await app.executor.run("leaky", { how, text: everyForm }, context);
      expect(result.success).toBe(how !== "code" && how !== "error");
      seen.push(result);
    }
    seen.push(await app.executor.run("secret_list", {}, context));
    seen.push(await app.executor.run("secret_store", { key: "TOKEN", vale: canary }, context));
    seen.push(await app.executor.run("secret_stor", { key: "TOKEN", value: canary }, context));
    const store = await app.store();
    seen.push(await store.ledger.list(), await store.grants.list());
    const live = filesBelow(place.home.folder);
    expect(live.some((file) => file.endsWith("-wal"))).toBe(true);
    const haystacks = live.map((file) => readFileSync(file));
    await app.close();
    haystacks.push(...filesBelow(place.home.folder).map((file) => readFileSync(file)));
    haystacks.push(
      Buffer.from(JSON.stringify([seen, approvals, errors])),
      Buffer.from(errors.join("\n")),
      Buffer.from(streamed),
    );
    expect(approvals.length).toBeGreaterThan(2);
    expect(errors.length).toBeGreaterThan(2);
    const found = haystacks.flatMap((haystack, at) =>
      needles
        .filter((needle) => haystack.includes(needle))
        .map((needle) => `${live[at] ?? at}: ${needle.toString()}`),
    );
    expect(found).toEqual([]);
    expect(JSON.stringify(seen)).toContain("[redacted:TOKEN]");
  });

  test("takes a secret of an earlier process out of the very first output", async () => {
    const place = makePlace();
    const first = await open(place);
    await first.secrets.set("local", "TOKEN", canary);
    await first.close();
    writeFileSync(join(place.folder, "a.txt"), `it is ${canary}.`);
    const app = await open(place);
    const result = await app.executor.run("read", { path: "a.txt" }, app.context);
    expect(result).toMatchObject({ success: true, text: expect.stringContaining("it is [redacted:TOKEN].") });
  });

  test("gives commands no secret, and lets no file tool at the keys", async () => {
    const place = makePlace();
    const app = await open(place);
    await app.secrets.set("local", "TOKEN", canary);
    const env = await app.executor.run("bash", { command: "env" }, app.context);
    expect(env.success).toBe(true);
    expect(env.text).not.toMatch(/TOKEN|canary|HAFT_(?!PROCESS=)/);
    const key = await app.executor.run("read", { path: join(place.home.folder, "secret.key") }, app.context);
    expect(key).toMatchObject({ success: false, code: "PATH_PROTECTED" });
  });

  test("asks before a secret is stored or deleted, and not before names are listed", async () => {
    const place = makePlace();
    const asked: string[] = [];
    const app = await open(place, {
      identity: "owner:ada",
      ask: ({ toolName, params }) => {
        asked.push(`${toolName} ${JSON.stringify(params)}`);
        return Promise.resolve({ approved: false, by: "owner:ada" });
      },
    });
    const store = await app.executor.run("secret_store", { key: "TOKEN", value: canary }, app.context);
    expect(store).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(await app.executor.run("secret_list", {}, app.context)).toMatchObject({ result: { secrets: [] } });
    expect(existsSync(place.home.secretKeys)).toBe(false);
    await app.secrets.set("local", "TOKEN", canary);
    const remove = await app.executor.run("secret_delete", { key: "TOKEN" }, app.context);
    expect(remove).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(await app.secrets.list("local")).toHaveLength(1);
    expect(asked).toEqual([
      'secret_store {"key":"TOKEN","value":"[secret]"}',
      'secret_delete {"key":"TOKEN"}',
    ]);
  });

  test("fills ${secret:NAME} in when the tool is called, and says what to do where there is none", async () => {
    const keys: unknown[] = [];
    const web = await listenOnLoopback((request, response) => {
      keys.push(request.headers.authorization);
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          results: [{ title: "Deep", url: "https://example.com/", content: `thought ${canary}` }],
        }),
      );
    });
    const place = makePlace(
      `tools:\n  webSearch: { provider: tavily, apiKey: "\${secret:TAVILY_KEY}", baseUrl: "${web.url}" }\n`,
    );
    const app = await open(place);
    const missing = await app.executor.run("web_search", { query: "answer" }, app.context);
    expect(missing).toMatchObject({
      code: "SECRET_NOT_FOUND",
      error: expect.stringContaining("haft secret set TAVILY_KEY"),
    });
    await app.secrets.set("local", "TAVILY_KEY", "canary-of-tavily");
    const found = await app.executor.run("web_search", { query: "answer" }, app.context);
    expect(found).toMatchObject({ success: true, text: expect.stringContaining("Deep") });
    expect(keys).toEqual(["Bearer canary-of-tavily"]);
  });
});

describe("createSecretKeys()", () => {
  const variable = () => undefined;
  const key = Buffer.alloc(32, 7);

  test("keeps keys in a file for its user alone, and loses none", async () => {
    const { home } = makePlace();
    const keys = createSecretKeys(home, { kind: undefined, variable });
    expect(keys.kind).toBe("file");
    expect(await keys.read("file", "k_1")).toBeUndefined();
    await keys.write("file", "k_1", key);
    await createSecretKeys(home, { kind: "file", variable }).write("file", "k_2", Buffer.alloc(32, 8));
    expect(Buffer.from((await keys.read("file", "k_1")) ?? [])).toEqual(key);
    expect(await keys.read("file", "k")).toBeUndefined();
    expect(statSync(home.secretKeys).mode & 0o777).toBe(0o600);
  });

  test(
    "refuses a file that others may read",
    needs("a POSIX system", process.platform !== "win32"),
    async () => {
      const { home } = makePlace();
      const keys = createSecretKeys(home, { kind: "file", variable });
      await keys.write("file", "k_1", key);
      chmodSync(home.secretKeys, 0o644);
      await expect(keys.read("file", "k_1")).rejects.toMatchObject({ code: "SECRET_KEY_UNSAFE" });
      await expect(keys.write("file", "k_2", key)).rejects.toMatchObject({ code: "SECRET_KEY_UNSAFE" });
    },
  );

  test("takes a passphrase where there is one, and the configured kind before it", () => {
    const { home } = makePlace();
    const given = (name: string) => (name === "HAFT_PASSPHRASE" ? "correct horse" : undefined);
    expect(createSecretKeys(home, { kind: undefined, variable: given })).toMatchObject({
      kind: "passphrase",
    });
    expect(createSecretKeys(home, { kind: "file", variable: given }).kind).toBe("file");
    expect(createSecretKeys(home, { kind: undefined, variable: given }).passphrase()).toBe("correct horse");
  });

  test("keeps keys in the keyring where the package is there, and says so where it is not", async () => {
    const { home } = makePlace();
    const kept = new Map<string, string>();
    class AsyncEntry {
      readonly #name: string;
      constructor(service: string, account: string) {
        this.#name = `${service} ${account}`;
      }
      getPassword = () => Promise.resolve(kept.get(this.#name) ?? null);
      setPassword = async (password: string) => void kept.set(this.#name, password);
    }
    const keys = createSecretKeys(home, {
      kind: "keyring",
      variable,
      loadKeyring: () => Promise.resolve({ AsyncEntry }),
    });
    await keys.write("keyring", "k_1", key);
    expect(Buffer.from((await keys.read("keyring", "k_1")) ?? [])).toEqual(key);
    expect(await keys.read("keyring", "k_2")).toBeUndefined();
    expect(existsSync(home.secretKeys)).toBe(false);
    const absent = createSecretKeys(home, {
      kind: "keyring",
      variable,
      loadKeyring: () => Promise.reject(new Error("no module")),
    });
    await expect(absent.read("keyring", "k_1")).rejects.toThrow(/not installed; install it/);
    class Locked {
      getPassword = () => Promise.reject(new Error("locked"));
    }
    const locked = createSecretKeys(home, {
      kind: "keyring",
      variable,
      loadKeyring: () => Promise.resolve({ AsyncEntry: Locked }),
    });
    await expect(locked.read("keyring", "k_1")).rejects.toMatchObject({ code: "SECRET_KEYRING" });
  });
});
