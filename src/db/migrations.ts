import { approvals } from "../modules/approvals/store/0006-approvals.ts";
import { artifacts } from "../modules/artifacts/store/0002-artifacts.ts";
import { artifactTrust } from "../modules/artifacts/store/0007-artifact-trust.ts";
import { sources } from "../modules/definitions/store/0008-sources.ts";
import { search } from "../modules/finding/store/0009-search.ts";
import { grants } from "../modules/grants/store/0003-grants.ts";
import { grantUsers } from "../modules/grants/store/0016-grant-users.ts";
import { jobs } from "../modules/jobs/store/0013-jobs.ts";
import { ledger } from "../modules/ledger/store/0001-ledger.ts";
import { resultDigest } from "../modules/ledger/store/0005-result-digest.ts";
import { callers } from "../modules/ledger/store/0014-callers.ts";
import { outerCalls } from "../modules/ledger/store/0015-outer-calls.ts";
import { memory } from "../modules/memory/store/0010-memory.ts";
import { memoryVectors } from "../modules/memory/store/0011-memory-vectors.ts";
import { memoryGraph } from "../modules/memory/store/0012-memory-graph.ts";
import { secrets } from "../modules/secrets/store/0004-secrets.ts";
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
