// Builds the console, the app in the browser, into dist/console/: `npm run build:console`. With `--if-changed` it builds
// only if a source has changed since the last build.
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** The files that the build reads. */
const sources = [
  "console/**/*.{ts,tsx,css,html,svg}",
  "src/{base,kernel}/**/*.ts",
  "scripts/build-console.ts",
];

/** Puts the code that several pages share into one file, which the browser loads in one round trip. */
const parts = { name: "parts", test: /\/console\/src\/(?:parts|shell|text)\//, minShareCount: 3 };

/** The file with the hash of the sources of the last build. */
const stampFile = "node_modules/.cache/haft-console/sources";

/**
 * Builds the console into a folder, and removes other files there. Needs no network. What browsers get is kept as brotli
 * alone, so that the package stays small: whoever serves it unpacks it for browsers that do not take that.
 */
export async function buildConsole(folder: string): Promise<void> {
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: "console",
    base: "/console/",
    publicDir: false,
    logLevel: "warn",
    cacheDir: resolve("node_modules/.cache/haft-console"),
    resolve: { conditions: ["haft-source", "module", "browser", "production"] },
    // Said outright: under a test runner, Vite would write the places of the sources into what it builds.
    oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
    build: {
      outDir: resolve(folder),
      emptyOutDir: true,
      target: ["chrome123", "firefox128", "safari17.5"],
      // The page's Content-Security-Policy allows no `data:` URLs for fonts and styles.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: { groups: [parts] } } },
      license: { fileName: "licences.md" },
      reportCompressedSize: false,
    },
  });
  for (const file of globSync(join(folder, "**/*.{js,css,html,svg}"))) {
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(readFileSync(file), {
        params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
      }),
    );
    rmSync(file);
  }
}

/** Hashes all sources, with their names. */
function hashSources(): string {
  const hash = createHash("sha256");
  for (const file of globSync(sources).toSorted())
    hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  return hash.update(readFileSync("package-lock.json")).digest("hex");
}

if (import.meta.main) {
  const folder = "dist/console";
  const stamp = hashSources();
  const isBuilt =
    existsSync(join(folder, "index.html.br")) &&
    existsSync(stampFile) &&
    readFileSync(stampFile, "utf8") === stamp;
  if (!process.argv.includes("--if-changed") || !isBuilt) {
    rmSync(stampFile, { force: true });
    await buildConsole(folder);
    mkdirSync(dirname(stampFile), { recursive: true });
    writeFileSync(stampFile, stamp);
  }
}
