import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { whyNoProject } from "./no-project.ts";

test("the disk, the home folder, what holds it and the system's folders are no projects", () => {
  const home = realpathSync(homedir());
  expect(whyNoProject("/")).toBe("it is the whole disk");
  expect(whyNoProject(home)).toBe("it is the whole home folder");
  expect(whyNoProject(dirname(home))).toBeDefined();
  for (const folder of ["/usr", "/usr/bin", "/etc", realpathSync("/tmp")]) {
    expect([folder, whyNoProject(folder)]).toEqual([folder, "it belongs to the system"]);
  }
});

test("a folder below the home folder, and one of a project elsewhere, may be worked in", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-project-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = realpathSync(homedir());
  for (const one of [folder, join(home, "shop"), "/opt/shop", "/srv/shop", "/usrs"]) {
    expect([one, whyNoProject(one)]).toEqual([one, undefined]);
  }
});
