import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type App, type AppOptions, createApp, Home } from "../../src/app/index.ts";
import type { Approval, Approver, CallContext, ToolResult } from "../../src/kernel/index.ts";
import { lendProof } from "./lent-proof.ts";
import { forThisMachine } from "./machine-settings.ts";
import { answering } from "./questions.ts";

/** A haft of its own: a project folder, a home beside it, and what lies outside both; gone at the end of the test. */
export class Installation {
  /** Holds all the others. */
  readonly root: string;
  readonly folder: string;
  readonly home: Home;

  /** Whether {@link open} lets commands run here whatever confines them. */
  runsCommands = true;

  constructor() {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "haft-installation-")));
    // A command that was stopped a moment ago may still write.
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 20 }));
    this.folder = join(this.root, "project");
    mkdirSync(this.folder);
    this.home = new Home(join(this.root, "home"));
    lendProof(this.home.folder);
  }

  /** Lets every user of the machine work in the project, as commands do that run as another user. */
  shareProject(): void {
    chmodSync(this.root, 0o755);
    chmodSync(this.folder, 0o777);
  }

  /** Writes a file below {@link root}. */
  write(path: string, text: string): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Opens it as a program would, with the owner's own configuration as text. */
  async open(config = "", options: Partial<AppOptions> = {}): Promise<OpenInstallation> {
    if (config !== "") this.home.write("config.yml", this.runsCommands ? forThisMachine(config) : config);
    const app = await createApp({ folder: this.folder, home: this.home, ...options });
    onTestFinished(() => app.close());
    return new OpenInstallation(app);
  }
}

export class OpenInstallation {
  readonly app: App;

  constructor(app: App) {
    this.app = app;
  }

  call(tool: string, params: unknown, context: CallContext = {}): Promise<ToolResult> {
    return this.app.executor.run(tool, params, { ...this.app.context, ...context });
  }
}

/** Says yes to everything, and keeps what it was asked. */
export function agreeing(identity = "owner:ada"): Approver & { readonly asked: Approval[] } {
  return answering({ approved: true, by: identity }, identity);
}
