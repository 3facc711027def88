import { isRecord } from "../../../base/index.ts";
import type { Params } from "./message.ts";

/** The `_meta` of a request. */
export function readMeta({ params }: { readonly params: Params }): Params {
  const { _meta } = params;
  return isRecord(_meta) ? _meta : {};
}

/** The progress token in a `_meta`, if it is a usable one. */
export function readProgressToken({ progressToken }: Params): string | number | undefined {
  return typeof progressToken === "string" || typeof progressToken === "number" ? progressToken : undefined;
}
