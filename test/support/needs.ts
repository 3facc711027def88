import type { TestOptions } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What a skipped test would need of the machine, and how to have it. */
    needs?: string;
  }
}

/** What some tests need of a machine, and how to have it. */
const remedies = {
  bubblewrap: "bubblewrap (`apt install bubblewrap`, or your system's package of that name)",
  sandbox:
    "a sandbox (`apt install bubblewrap`; user namespaces have to be allowed, in a container with `docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined`)",
  root: "root's rights (run it as root)",
  "another user": "root's right to run commands as another user (run it as root, with util-linux's setpriv)",
  linux: "Linux",
  macOS: "macOS (the macOS workflow runs them)",
  "a POSIX system": "Linux or macOS",
  git: "git (`apt install git`)",
  bash: "bash (`apt install bash`)",
  curl: "curl (`apt install curl`)",
  perl: "perl, on x86-64 (`apt install perl`)",
  clients: "other people's clients (`npm ci --prefix test/clients`)",
  chromium: "Chromium (`apt install chromium`)",
  "an ONNX runtime": "an ONNX runtime (`npm ci --prefix packages/haft-encoder`)",
  "the encoder's weights": "the weights of haft-encoder (scripts/encoder/README.md)",
  transformers: "`@huggingface/transformers` (`npm install --no-save @huggingface/transformers`)",
  "no transformers": "an installation without `@huggingface/transformers` (`npm ci`)",
} as const;

/**
 * Options of tests that not every machine can prove. Where what they need is not there, they are skipped, and the end of
 * the run tells how many, why, and how to prove them.
 */
export function needs(what: keyof typeof remedies, isHere: boolean): TestOptions {
  return isHere ? {} : { skip: true, meta: { needs: remedies[what] } };
}
