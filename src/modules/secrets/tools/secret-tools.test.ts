import { expect, test } from "vitest";
import { createTestExecutor } from "../../../../test/support/test-executor.ts";
import { openStore } from "../../../app/store/index.ts";
import { defaultRules } from "../../../kernel/index.ts";
import type { SecretKeys } from "../store/secret-keys.ts";
import { secretTools } from "./secret-tools.ts";

const kept = new Map<string, Uint8Array>();
const secretKeys: SecretKeys = {
  kind: "file",
  read: (_kind, id) => kept.get(id),
  write: (_kind, id, key) => void kept.set(id, key),
  passphrase: () => undefined,
  howToGivePassphrase: "",
};

test("secretTools() is empty where there is no store", () => {
  expect(secretTools({})).toEqual([]);
});

test("secretTools() store, list and delete by name, in the scope of the call", async () => {
  await using store = await openStore({ path: ":memory:", secretKeys });
  const { executor } = createTestExecutor(secretTools(store));
  const value = "value-of-the-token";
  const results = [
    await executor.execute("secret_store", { key: "TOKEN", value }),
    await executor.execute("secret_list", {}),
    await executor.execute("secret_list", {}, { scope: "other" }),
    await executor.execute("secret_delete", { key: "TOKEN" }, { scope: "other" }),
    await executor.execute("secret_delete", { key: "TOKEN" }),
  ].map((result) => (result.success ? result.result : result.error));
  expect(results).toEqual([
    { stored: "TOKEN" },
    { secrets: [{ key: "TOKEN", changed: expect.stringMatching(/^\d{4}-.*Z$/) }] },
    { secrets: [] },
    { deleted: false },
    { deleted: true },
  ]);
});

test("secret_store refuses a bad name and a short value without repeating it", async () => {
  await using store = await openStore({ path: ":memory:", secretKeys });
  const { executor } = createTestExecutor(secretTools(store));
  expect(await executor.execute("secret_store", { key: "no name", value: "long enough" })).toMatchObject({
    code: "SECRET_NAME",
  });
  const short = await executor.execute("secret_store", { key: "TOKEN", value: "hunter2" });
  expect(short).toMatchObject({ code: "SECRET_VALUE" });
  expect(JSON.stringify(short)).not.toContain("hunter2");
});

test("secret_store and secret_delete are refused by the default policy where nobody can be asked, secret_list is not", async () => {
  await using store = await openStore({ path: ":memory:", secretKeys });
  const { executor } = createTestExecutor(secretTools(store), { rules: defaultRules });
  expect(await executor.execute("secret_store", { key: "TOKEN", value: "long enough" })).toMatchObject({
    code: "TOOL_PERMISSION",
  });
  await store.secrets.set("local", "TOKEN", "long enough");
  expect(await executor.execute("secret_delete", { key: "TOKEN" })).toMatchObject({
    code: "TOOL_PERMISSION",
  });
  expect(await executor.execute("secret_list", {})).toMatchObject({ success: true });
});
