// A project in a temporary folder, and haft for it: for the example with a scripted model.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp, Home } from "haft/app";

/** A red dot of one pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

export interface Project {
  readonly app: App;
  /** A file outside the project: writing it asks. */
  readonly outside: string;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openProject(): Promise<Project> {
  const root = mkdtempSync(join(tmpdir(), "haft-agents-"));
  const folder = join(root, "project");
  mkdirSync(folder);
  writeFileSync(join(folder, "notes.txt"), "Ada likes red.\n");
  writeFileSync(join(folder, "dot.png"), Buffer.from(dot, "base64"));
  const app = await createApp({ folder, home: new Home(join(root, "home")) });
  return {
    app,
    outside: join(root, "report.txt"),
    async [Symbol.asyncDispose]() {
      await app.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
