import { ledger } from "./0001-ledger.ts";
import { artifacts } from "./0002-artifacts.ts";
import { grants } from "./0003-grants.ts";
import { secrets } from "./0004-secrets.ts";
import { resultDigest } from "./0005-result-digest.ts";
import { approvals } from "./0006-approvals.ts";
import { artifactTrust } from "./0007-artifact-trust.ts";
import { sources } from "./0008-sources.ts";
import { search } from "./0009-search.ts";
import { memory } from "./0010-memory.ts";
import { memoryVectors } from "./0011-memory-vectors.ts";
import { memoryGraph } from "./0012-memory-graph.ts";
import { jobs } from "./0013-jobs.ts";
import { callers } from "./0014-callers.ts";
import { outerCalls } from "./0015-outer-calls.ts";
import { grantUsers } from "./0016-grant-users.ts";
import type { Migration } from "./migration.ts";

/** Every migration there ever was, in order. */
export const migrations: readonly Migration[] = [
  ledger,
  artifacts,
  grants,
  secrets,
  resultDigest,
  approvals,
  artifactTrust,
  sources,
  search,
  memory,
  memoryVectors,
  memoryGraph,
  jobs,
  callers,
  outerCalls,
  grantUsers,
];
