export type { CallsPage, VerificationSince } from "./columns/call-index.ts";
export type { VerifiedUpTo } from "./columns/column-file.ts";
export type { CallCount, CallGroup } from "./columns/count-calls.ts";
export type { RecordedCallQuery } from "./columns/find-calls.ts";
export {
  digestOfAskedCall,
  digestOfBounds,
  digestOfCall,
  digestOfPatterns,
  formerDigestOfCall,
} from "./store/call-digest.ts";
export type { OnCancel } from "./store/cancel-requests.ts";
export type { KeptOutcome } from "./store/kept-outcomes.ts";
export type { ChainHead } from "./store/ledger-chain.ts";
export {
  type CallQuery,
  type CallRecord,
  type CallState,
  type ChainFault,
  callStates,
  chainFaults,
  type Erasure,
  type LedgerStore,
  type Verification,
  type VerifyOptions,
  type VersionOutcomes,
} from "./store/ledger-store.ts";
export { fromOriginText, toOriginText } from "./store/origin-text.ts";
export { recoverCalls, type UnknownCall } from "./store/recover.ts";
export { SqlLedger } from "./store/sql-ledger.ts";
export type { RunRow } from "./store/tables.ts";
export { verifyChain } from "./store/verify-chain.ts";
