import { expect, test } from "vitest";
import type { Approver } from "../../src/kernel/index.ts";
import { Installation } from "../support/installation.ts";

/** Says yes, after `before` has happened. */
function agreeingAfter(before: () => void): Approver & { asked: number } {
  const approver = {
    identity: "owner:ada",
    asked: 0,
    ask: async () => {
      approver.asked++;
      before();
      return { approved: true as const, by: "owner:ada" };
    },
  };
  return approver;
}

const command = "bash scripts/deploy.sh staging";

test("a script that is exchanged while its question waits does not run", async () => {
  const place = new Installation();
  place.write("project/scripts/deploy.sh", "echo good");
  const open = await place.open();
  const approver = agreeingAfter(() => void place.write("project/scripts/deploy.sh", "echo evil"));
  const result = await open.call("bash", { command }, { approver });
  expect(result).toMatchObject({ success: false, code: "FILE_CHANGED" });
  expect(result.text).toContain("deploy.sh");
  expect(result.text).not.toContain("evil");
});

test("a yes that was remembered for exactly this line is none to another script of its name", async () => {
  const place = new Installation();
  place.shareProject();
  place.write("project/scripts/deploy.sh", "echo good");
  const open = await place.open();
  let asked = 0;
  const approver: Approver = {
    identity: "owner:ada",
    ask: async ({ offers }) => {
      asked++;
      const exact = offers.find(({ terms }) => terms.includes("always"));
      return {
        approved: true,
        by: "owner:ada",
        ...(exact !== undefined && { remember: { offer: exact.id, term: "always" } }),
      };
    },
  };
  const call = () => open.call("bash", { command }, { approver });
  expect(await call()).toMatchObject({ success: true });
  expect(await call()).toMatchObject({ success: true });
  expect(asked).toBe(1);
  place.write("project/scripts/deploy.sh", "echo other");
  expect(await call()).toMatchObject({ success: true });
  expect(asked).toBe(2);
});

test.for([
  ["./scripts/deploy.sh", "scripts/deploy.sh"],
  ["node --enable-source-maps tool.js out.txt", "tool.js"],
  ["env A=b sh -e scripts/deploy.sh", "scripts/deploy.sh"],
  ["cd scripts && ./deploy.sh", "scripts/deploy.sh"],
  ["make -f build.mk all", "build.mk"],
])("%s is a line that names the code %s", async ([line, file]) => {
  const place = new Installation();
  for (const path of ["scripts/deploy.sh", "tool.js", "build.mk"])
    place.write(`project/${path}`, `# ${path}\n`);
  const open = await place.open();
  const { effects } = await open.app.executor.foresee("bash", { command: line }, open.app.context);
  const code = effects.flatMap((effect) => effect.code ?? []).map(({ path }) => path);
  expect(code).toContain(`${place.folder}/${file}`);
});
