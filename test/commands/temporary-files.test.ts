import { afterAll, expect, test } from "vitest";
import { plantCanary, programsOfAsks } from "../support/ask-counts.ts";
import { openCommandGate } from "../support/command-gate.ts";

const gate = openCommandGate({ plant: plantCanary, programs: programsOfAsks, undo: true });
afterAll(() => gate[Symbol.asyncDispose]());
const [top = ""] = gate.folder.startsWith("/tmp/") ? gate.folder.split("/").slice(2) : [];

test.for([
  "rm -rf /tmp/build",
  "rm -r -f /var/tmp/build/",
  "rm -rf /tmp/a /tmp/b/*",
  "echo x > /tmp/a; cat /tmp/a",
  "echo x >> /tmp/a.log",
  "cat src/app.ts | tee /tmp/copy.ts",
  "tee /tmp/docs.txt <<EOF\nrm -rf /\nEOF",
  "mkdir -p /tmp/one/two && ls /tmp/one",
  "ls -la /tmp",
  "rm -rf /var/tmp/*",
  "cp src/app.ts /tmp/copy.ts",
  "cp -v notes.txt src/util.ts /var/tmp/",
  "cp notes.txt /tmp/a && cat /tmp/a",
  "mv src/util.ts /tmp/util.ts",
])("%s touches the session's own temporary files, and asks only where there is no sandbox", async (line) => {
  expect(await gate.decideConfined(line)).toBe("allow");
  expect(await gate.decide(line)).not.toBe("allow");
});

test.for([
  "rm -rf /tmp/../etc/x",
  "rm -rf /tmp/x /etc",
  "rm -rf /tmp",
  "rm -rf /tmp/",
  "rm -rf /tmp/{a,../../etc}",
  "rm -rf /tmp/$X",
  'rm -rf "${TMPDIR:-/tmp}/build"',
  "ln -s $PWD /tmp/l; rm -rf /tmp/l/src",
  "ln -s . /tmp/l && echo x > /tmp/l/notes.txt",
  "cp -a way-out /tmp/l; rm -rf /tmp/l/file",
  "cp -P way-out /tmp/l; echo x > /tmp/l/file",
  "cp secret/.env /tmp/x",
  "cp ~/.ssh/id_rsa /tmp/x",
  "cp way-out/file /tmp/x",
  "cp src/*.ts /tmp",
  "cp -r src /tmp/copy",
  "cp -t /tmp secret/.env",
  "mv canary/f /tmp/f",
  "mv way-out /tmp/l",
  "mv secret/.env /tmp/x",
  "mv /tmp/x canary/f",
  "ln -s .. /tmp/l; ls /tmp",
  "mv way-out /tmp/l; cat /tmp/l/file",
  "git stash > /tmp/x",
  "sudo rm -rf /tmp/x",
  "find /tmp -exec rm {} \\;",
])("%s asks in a sandbox: it may reach more than the session's own temporary files", async (line) => {
  expect(await gate.decideConfined(line)).toBe("ask");
});

test("a temporary path at, above or below an allowed folder is no temporary file", async () => {
  if (top === "") return;
  for (const line of [
    `rm -rf /tmp/${top}`,
    "rm -rf /tmp/*",
    `rm -rf /tmp/${top}/*`,
    `rm -rf ${gate.folder}/canary`,
    `echo x > ${gate.folder}/canary/f`,
    `rm -rf /tmp/./${top}`,
    `rm -rf /tmp//${top}/`,
  ])
    expect([line, await gate.decideConfined(line)]).toEqual([line, "ask"]);
});
