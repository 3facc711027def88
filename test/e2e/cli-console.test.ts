import { expect, onTestFinished, test } from "vitest";
import { isRecord } from "../../src/base/index.ts";
import { Place } from "./cli-process.ts";

/** A server in the background, ended with the test. */
async function serve(place: Place, ...args: string[]): Promise<string> {
  const started = await place.run(["serve", "--detach", "--json", "--port", "0", ...args]);
  expect(started.exitCode).toBe(0);
  const { pid, url } = JSON.parse(started.stdout) as { readonly pid: number; readonly url: string };
  onTestFinished(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It was stopped.
    }
  });
  return new URL(url).origin;
}

async function exchange(origin: string, link: string): Promise<unknown> {
  const answer = await fetch(`${origin}/console/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "a \u009b31mbrowser" },
    body: JSON.stringify({ code: new URL(link).hash.slice(1) }),
  });
  return answer.json();
}

test("haft console prints a link that opens a session once; the session is listed and ended", async () => {
  const place = new Place();
  const origin = await serve(place);
  const printed = await place.run(["console", "--print"]);
  expect(printed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("within a minute") });
  expect(printed.stdout).toMatch(new RegExp(`^${origin}/console/#[\\w-]{43}\n$`));
  const none = await place.run(["console", "sessions"]);
  expect(none).toMatchObject({ exitCode: 0, stdout: "", stderr: expect.stringContaining("No tab") });
  const readToken = (session: unknown) => (isRecord(session) ? String(session["token"]) : "");
  const shared = readToken(await exchange(origin, printed.stdout.trim()));
  const use = (token: string) =>
    fetch(`${origin}/console/api/v1/session`, { headers: { authorization: `Bearer ${token}` } });
  expect((await use(shared)).status).toBe(200);
  // Of two who have a link, one is not its owner.
  expect(await exchange(origin, printed.stdout.trim())).toMatchObject({ code: "CONSOLE_LINK" });
  expect((await use(shared)).status).toBe(401);
  const own = (await place.run(["console", "--print"])).stdout.trim();
  const token = readToken(await exchange(origin, own));
  const listed = JSON.parse((await place.run(["console", "sessions", "--json"])).stdout) as unknown;
  expect(listed).toMatchObject([{ id: expect.stringMatching(/^cs_/), startedAt: expect.any(Number) }]);
  const [{ id }] = listed as [{ readonly id: string }];
  const table = await place.run(["console", "sessions"]);
  expect(table.stdout).toContain(id);
  expect(table.stdout).not.toContain("\u009b");
  expect((await use(token)).status).toBe(200);
  expect(await place.run(["console", "sessions", "end", id])).toMatchObject({
    exitCode: 0,
    stdout: `${id} has ended\n`,
  });
  expect((await use(token)).status).toBe(401);
  expect(await place.run(["console", "sessions", "end", id])).toMatchObject({ exitCode: 3 });
  expect(await place.run(["console", "sessions", "end"])).toMatchObject({ exitCode: 2 });
});

test("haft console opens the browser, and prints the link where there is none", async () => {
  const place = new Place();
  const origin = await serve(place);
  const json = JSON.parse((await place.run(["console", "--json"])).stdout) as unknown;
  expect(json).toEqual({ url: expect.stringContaining(`${origin}/console/#`), endsAt: expect.any(Number) });
  const noBrowser = await place.run(["console"], "", { PATH: place.home });
  expect(noBrowser).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`${origin}/console/#`),
    stderr: expect.stringContaining("Open this in your browser"),
  });
});

test("haft console says how to start a server where none runs, and what is off where it is open to the network", async () => {
  const place = new Place();
  expect(await place.run(["console"])).toMatchObject({
    exitCode: 3,
    stdout: "",
    stderr: expect.stringContaining("no haft serve runs; start one with `haft serve`"),
  });
  await serve(place, "--host", "0.0.0.0");
  expect(await place.run(["console", "--print"])).toMatchObject({
    exitCode: 3,
    stdout: "",
    stderr: expect.stringContaining("open to the network"),
  });
});

test("haft serve says in a log how the console is opened, and shows no link there", async () => {
  const place = new Place();
  const child = place.start(["serve", "--port", "0"]);
  const said = await new Promise<string>((resolve) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("Listening on")) resolve(text);
    });
  });
  expect(said).toContain("haft console` opens");
  expect(said).not.toContain("/console/#");
});
