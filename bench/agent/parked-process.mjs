// A process of the installed package alone: nothing of the bench is loaded into it. Prints what it takes once all wait.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [app, agent, url, runs] = process.argv.slice(2);
const { createApp, Home } = await import(app);
const { Interrupts } = await import(agent);
const root = mkdtempSync(join(tmpdir(), "haft-bench-agent-"));
const folder = join(root, "project");
mkdirSync(folder);
writeFileSync(join(folder, "small.txt"), "A line of a small file.\n".repeat(20));
const home = new Home(join(root, "home"));
const models = { main: { provider: "openai-compatible", url, model: "scripted" } };
const permissions = [{ decision: "ask", tool: "*" }];
home.write("config.yml", JSON.stringify({ permissions, models, agent: { model: "main" } }));
const opened = await createApp({ folder, home, sources: "once" });
await opened.sources.listed();
const host = await opened.agent();
const states = new Set();
for (let done = 0; done < Number(runs); done++) {
  const parts = [{ type: "text", text: `Read ${done + 1} lines.` }];
  const run = await host.begin({ parts, channel: "terminal" });
  const end = await host.drive(run, { emit: () => {}, interrupts: new Interrupts(), inBackground: true });
  states.add(end?.state);
}
const { approvals } = await opened.store();
const open = (await approvals.list({ state: "pending" })).length;
console.log(JSON.stringify({ mb: process.memoryUsage.rss() / 1e6, open, states: [...states] }));
await opened.close();
rmSync(root, { recursive: true });
