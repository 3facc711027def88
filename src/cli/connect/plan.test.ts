import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkClientFiles } from "../checks/client.ts";
import type { ClientSetting } from "./client-entry.ts";
import { digestText } from "./connection-record.ts";
import { clientEntries } from "./index.ts";
import { planConnect, planUndo } from "./plan.ts";

function createSetting(platform: NodeJS.Platform): ClientSetting {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-connect-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return {
    home: join(root, "user"),
    folder: join(root, "project"),
    platform,
    variable: () => undefined,
    command: "/usr/bin/node",
    args: ["/opt/haft/bin/haft.js", "mcp"],
  };
}

const cases = clientEntries.flatMap((entry) =>
  (["linux", "darwin", "win32"] as const).map((platform) => ({ id: entry.id, platform, entry })),
);

test.each(cases)(
  "$id on $platform is set up in its own files, once, and can be undone",
  async ({ entry, platform }) => {
    const setting = createSetting(platform);
    const status = async () =>
      Object.fromEntries(
        (await checkClientFiles(entry, setting)).map((finding) => [finding.name, finding.status]),
      );
    expect(await status()).toMatchObject({ server: "failed" });
    const changes = await planConnect(entry, setting);
    expect(changes.filter(({ file }) => !file.startsWith(setting.home))).toEqual([]);
    for (const { file, after } of changes) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, after ?? "");
    }
    const { server, ...halves } = await status();
    expect(server).toBe("ok");
    expect(Object.values(halves)).not.toContain("failed");
    expect(await planConnect(entry, setting)).toEqual([]);
    const files = changes.map(({ file, form, before = null, after = "", back }) => ({
      file,
      form,
      before,
      afterDigest: digestText(after),
      back,
    }));
    const undo = await planUndo(files, digestText);
    expect(undo.kept).toEqual([]);
    expect(undo.changes.map(({ after }) => after)).toEqual(changes.map(() => undefined));
  },
);

test.each(clientEntries.map((entry) => ({ id: entry.id, entry })))(
  "$id keeps what its files say, and its part alone goes where its owner changed them since",
  async ({ entry }) => {
    const setting = createSetting("linux");
    const added: Readonly<Record<string, string>> = {
      json: "// mine\n",
      yaml: "# mine\n",
      toml: "# mine\n",
      text: "",
    };
    const changes = await planConnect(entry, setting);
    const files = changes.map(({ file, form, before = null, after = "", back }) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${added[form]}${after}`);
      return { file, form, before, afterDigest: digestText(after), back };
    });
    const undo = await planUndo(files, digestText);
    expect(undo.kept).toEqual([]);
    for (const { file, after } of undo.changes) if (after !== undefined) writeFileSync(file, after);
    const left = undo.changes.flatMap(({ file, after }) =>
      after === undefined ? [] : [readFileSync(file, "utf8")],
    );
    expect(left.filter((text) => !text.includes("mine") || text.includes("/opt/haft"))).toEqual([]);
  },
);
