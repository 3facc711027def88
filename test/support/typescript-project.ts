import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const compilerOptions = {
  noUnusedLocals: false,
  noUnusedParameters: false,
  isolatedDeclarations: false,
  declaration: false,
};

/** A folder of programs as a user of the package has them: they import haft by its name, and get its sources. */
export class TypeScriptProject {
  readonly folder: string;

  /** @param options over those of haft's own tsconfig.json */
  constructor(
    files: Iterable<readonly [name: string, text: string]>,
    options: Readonly<Record<string, unknown>> = {},
  ) {
    // Within the package, so that its name is known, and in a folder that nothing else looks into.
    mkdirSync("coverage", { recursive: true });
    this.folder = resolve(mkdtempSync("coverage/project-"));
    for (const [name, text] of files) writeFileSync(join(this.folder, name), text);
    writeFileSync(
      join(this.folder, "tsconfig.json"),
      JSON.stringify({
        extends: resolve("tsconfig.json"),
        compilerOptions: { ...compilerOptions, ...options },
        include: ["*.ts", resolve("src/**/*.d.ts")],
        exclude: [],
      }),
    );
  }

  /** What the compiler says of it: nothing where it compiles, unless it is asked for more. */
  compile(...args: readonly string[]): Promise<string> {
    const tsc = resolve("node_modules/typescript/bin/tsc");
    return new Promise((done) => {
      execFile(process.execPath, [tsc, "-p", this.folder, ...args], (_error, stdout) => done(stdout));
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
