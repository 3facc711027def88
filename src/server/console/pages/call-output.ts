import { formatBytes } from "../../../base/index.ts";
import type { ArtifactInfo, Artifacts } from "../../../modules/artifacts/index.ts";
import type { CallOutputApi, Endpoint } from "../api/index.ts";
import { ConsoleFault } from "../errors.ts";
import type { ConsoleContext, ConsoleRequest, Handlers } from "../route.ts";
import { SavedFile } from "../saved-file.ts";
import { notFound, readSegment, readWhole } from "./input.ts";

/** Characters of one page. */
const pageChars = 20_000;
/** Maximum size of an output that is saved, in bytes: it is read into memory whole. */
const mostBytes = 33_554_432;

/** The whole output of a call whose record has only the beginning. */
export const callOutputHandlers: Handlers<CallOutputApi> = {
  "GET /calls/:id/output": async (context, request) => {
    const { artifacts, info } = await findOutput(context, request);
    const { id, scope, bytes, chars: most = 0, createdAt, trust } = info;
    const from = readWhole(request.query, "offset", { least: 0, most, fallback: 0 });
    const page = await artifacts.readText(scope, id, { offset: from, length: pageChars });
    if (page === undefined) throw gone(id);
    const { text, offset, totalChars } = page;
    const next = offset + text.length;
    return {
      id,
      bytes,
      createdAt,
      trust,
      text,
      offset,
      totalChars,
      ...(offset > 0 && { before: Math.max(0, offset - pageChars) }),
      ...(next < totalChars && { after: next }),
      command: readCommand(id),
    };
  },

  "GET /calls/:id/output/file": async (context, request) => {
    const { artifacts, info } = await findOutput(context, request);
    const { id, scope, bytes: size } = info;
    if (size > mostBytes)
      throw new ConsoleFault(
        "CONSOLE_TOO_LONG",
        `Cannot save the output: it is ${formatBytes(size)}, and the console hands out ${formatBytes(mostBytes)} at most; \`${readCommand(id)}\` reads it in parts`,
      );
    const bytes = await artifacts.readBytes(scope, id);
    if (bytes === undefined) throw gone(id);
    // A text may have become a secret since the output was written.
    return new SavedFile(`${id}.txt`, Buffer.from(context.app.redact(Buffer.from(bytes).toString())));
  },
};

async function findOutput(
  { app, records }: ConsoleContext,
  request: Pick<ConsoleRequest<Endpoint>, "segments" | "signal">,
): Promise<{ readonly artifacts: Artifacts; readonly info: ArtifactInfo }> {
  const callId = readSegment(request, "id");
  const call = await records.findCall(callId, request.signal);
  if (call === undefined) throw notFound("the call", callId, "`haft audit` lists them");
  if (call.artifactId === undefined)
    throw notFound("a kept output of the call", callId, "the record has all of its result");
  const { artifacts } = await app.store();
  const info = await artifacts.describe(call.scope, call.artifactId);
  if (info === undefined) throw gone(call.artifactId);
  return { artifacts, info };
}

function gone(id: string): ConsoleFault {
  return notFound("the output", id, "it was erased, or made room for newer ones");
}

function readCommand(id: string): string {
  return `haft call artifact_read -a id=${id}`;
}
