export { type SecretServices, secretTools } from "./secret-tools.ts";
