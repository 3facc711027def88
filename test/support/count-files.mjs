// Loaded before haft: writes, as JSON to the file that HAFT_COUNT names, the files that were loaded when the answer to the
// request with the id 2 is written, or else when the process ends.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const files = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) files.push(fileURLToPath(url));
    return next(url, context);
  },
});

// What the program leaves for later, a second or two, begins after the answer on a busy machine too.
const plainTimeout = globalThis.setTimeout;
globalThis.setTimeout = (action, ms, ...rest) => plainTimeout(action, ms >= 1000 ? ms * 100 : ms, ...rest);

let isWritten = false;
const write = () => {
  if (isWritten) return;
  isWritten = true;
  writeFileSync(process.env.HAFT_COUNT, JSON.stringify(files));
};
process.on("exit", write);

const { stdout } = process;
const plain = stdout.write;
stdout.write = (chunk, ...rest) => {
  if (String(chunk).includes('"id":2')) write();
  return plain.call(stdout, chunk, ...rest);
};
