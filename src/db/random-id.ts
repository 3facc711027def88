import { randomBytes } from "node:crypto";

// No i, l, o or u: people read ids to each other, and models copy them.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** `prefix_` and `length` random characters of five bits each. */
export function randomId(prefix: string, length: number): string {
  return `${prefix}_${Array.from(randomBytes(length), (byte) => alphabet[byte & 31]).join("")}`;
}
