export {
  type Grant,
  type GrantQuery,
  type GrantState,
  type GrantStore,
  grantStates,
} from "./store/grants.ts";
export { SqlGrants } from "./store/sql-grants.ts";
