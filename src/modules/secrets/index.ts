export { SecretError, type SecretErrorCode, secretErrorCodes } from "./store/errors.ts";
export {
  type KeptKeyKind,
  type SecretKeyKind,
  type SecretKeys,
  secretKeyKinds,
} from "./store/secret-keys.ts";
export type { SecretInfo, SecretKeyInfo, Secrets } from "./store/secrets.ts";
export { SqlSecrets } from "./store/sql-secrets.ts";
