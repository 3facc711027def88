export { type Clock, pause, systemClock } from "./clock.ts";
export { CodedError, type CodedErrorOptions, getErrorCode, getErrorMessage } from "./coded-error.ts";
export { dataLines } from "./data-lines.ts";
export { compileGlob } from "./glob.ts";
export { createIdSource } from "./id.ts";
export {
  canonicalJson,
  isRecord,
  type Json,
  type JsonSchema,
  maxSchemaDepth,
  nestsDeeperThan,
  parseJson,
  withoutUndefined,
} from "./json.ts";
export {
  fitsShape,
  followRef,
  isOfType,
  isSameJson,
  listTypes,
  readAt,
  readList,
  readRecord,
  typeName,
} from "./json-shape.ts";
export { keepLease } from "./keep-lease.ts";
export { lazy, lazyPort } from "./lazy.ts";
export { type DiffLine, diffLines } from "./line-diff.ts";
export { cutSharedEnd, linesBeyond } from "./lines.ts";
export { resolveLocalRef } from "./local-ref.ts";
export { isPromise, type MaybePromise } from "./promise.ts";
export { RecentMap } from "./recent-map.ts";
export { FairSemaphore } from "./semaphore.ts";
export { shellWord } from "./shell-word.ts";
export {
  cutHead,
  cutTail,
  editDistance,
  formatBytes,
  nearestNames,
  oneLine,
} from "./text.ts";
export { wholeLength, wholeStart } from "./utf8.ts";
export { hasInvisible, showInvisible, splitInvisible } from "./visible-text.ts";
export { formatDay, parseTime, readZone, systemZone, type Zone } from "./zone.ts";
