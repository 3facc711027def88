import { deepStrictEqual } from "node:assert/strict";
import type { ChangeLog, FileChange } from "../modules/undo/index.ts";
import type { ContractCase } from "./contract-case.ts";

const changed: FileChange = {
  scope: "local",
  callId: "c_1",
  path: "/home/ada space/a\u{1f600}.txt",
  before: { artifactId: "a_1", mode: 0o644 },
  afterHash: "ab".repeat(32),
};
const created: FileChange = { ...changed, path: "/new", before: null };
const deleted: FileChange = {
  ...changed,
  path: "/old",
  before: { artifactId: "a_2", mode: 0o600 },
  afterHash: null,
};

/** What a change log gives back to an undo. */
export const changeLogCases: readonly ContractCase<ChangeLog>[] = [
  {
    name: "ofCall() knows no change of a call that made none",
    async run(changes) {
      deepStrictEqual(await changes.ofCall("local", "c_1"), []);
    },
  },
  {
    name: "ofCall() gives the changes of a call in the order they were recorded",
    async run(changes) {
      await Promise.all([changed, created, deleted].map((change) => changes.record(change)));
      await changes.record({ ...changed, callId: "c_2" });
      deepStrictEqual(await changes.ofCall("local", "c_1"), [changed, created, deleted]);
    },
  },
  {
    name: "ofCall() and markUndone() of a call that made others are about the changes of those, too",
    async run(changes) {
      const inner: FileChange = { ...created, callId: "c_2", outerCallId: "c_1" };
      for (const change of [changed, inner, { ...created, callId: "c_3", outerCallId: "c_4" }])
        await changes.record(change);
      deepStrictEqual(await changes.ofCall("local", "c_1"), [changed, inner]);
      deepStrictEqual(await changes.ofCall("local", "c_2"), [inner]);
      await changes.markUndone("local", "c_1");
      deepStrictEqual(await changes.ofCall("local", "c_2"), []);
    },
  },
  {
    name: "ofCall() knows no change of another scope",
    async run(changes) {
      await changes.record(changed);
      for (const scope of ["", "local/sub", "loca", "%"])
        deepStrictEqual(await changes.ofCall(scope, "c_1"), []);
    },
  },
  {
    name: "markUndone() takes the changes of one call out, and those recorded later stay",
    async run(changes) {
      await changes.record(changed);
      await changes.record({ ...changed, callId: "c_2" });
      await changes.record({ ...changed, scope: "other" });
      await changes.markUndone("local", "c_1");
      deepStrictEqual(await changes.ofCall("local", "c_1"), []);
      deepStrictEqual(await changes.ofCall("local", "c_2"), [{ ...changed, callId: "c_2" }]);
      deepStrictEqual(await changes.ofCall("other", "c_1"), [{ ...changed, scope: "other" }]);
      await changes.record(created);
      deepStrictEqual(await changes.ofCall("local", "c_1"), [created]);
    },
  },
  {
    name: "forget() deletes the changes of one call, and those of calls inside it stay",
    async run(changes) {
      const inner: FileChange = { ...created, callId: "c_2", outerCallId: "c_1" };
      for (const change of [changed, inner, { ...changed, scope: "other" }]) await changes.record(change);
      await changes.forget("local", "c_1");
      deepStrictEqual(await changes.ofCall("local", "c_1"), [inner]);
      deepStrictEqual(await changes.ofCall("other", "c_1"), [{ ...changed, scope: "other" }]);
    },
  },
];
