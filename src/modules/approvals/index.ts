export {
  type ApprovalQuery,
  type ApprovalState,
  type ApprovalStore,
  approvalStates,
  type KeptApproval,
  type ListedApproval,
} from "./store/approval-store.ts";
export { ApprovalError, type ApprovalErrorCode, approvalErrorCodes } from "./store/errors.ts";
export { SqlApprovals } from "./store/sql-approvals.ts";
export type { Tables as ApprovalTables } from "./store/tables.ts";
