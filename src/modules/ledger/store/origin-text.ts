import { boundedText } from "../../../db/index.ts";
import type { Origin } from "../../../kernel/index.ts";

const maxFieldChars = 300;

/** Formats a call's origin as JSON, without the channel's handle, which ends with its process. */
export function toOriginText(origin: Origin | undefined): string | null {
  if (origin === undefined) return null;
  const { channel, id, session, client } = origin;
  const bounded = (text: string) => boundedText(text, maxFieldChars);
  return JSON.stringify({
    channel: bounded(channel),
    ...(id !== undefined && { id: bounded(id) }),
    ...(session !== undefined && { session: bounded(session) }),
    ...(client !== undefined && {
      client: { name: bounded(client.name), version: bounded(client.version) },
    }),
  } satisfies Origin);
}

/** Reads what {@link toOriginText} wrote; undefined for a row without an origin. */
export function fromOriginText(text: string | null): Origin | undefined {
  return text === null ? undefined : (JSON.parse(text) as Origin);
}
