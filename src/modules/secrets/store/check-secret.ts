import { shortestSecret } from "../../../kernel/index.ts";
import { SecretError } from "./errors.ts";

const nameForm = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
/** Minimum length; redacting a shorter secret would remove ordinary words from every output. */
const minChars = shortestSecret;
const maxChars = 65_536;

/** @throws {SecretError} SECRET_NAME, SECRET_VALUE for what `Secrets.set` does not store. */
export function checkSecret(name: string, value: string): void {
  checkName(name);
  checkValue(name, value);
}

function checkName(name: string): void {
  if (nameForm.test(name)) return;
  throw new SecretError(
    "SECRET_NAME",
    `Cannot store a secret as "${name.slice(0, 64)}": a name has 1 to 128 letters, digits, "_", "." or "-", and does not begin with a digit; choose such a name`,
  );
}

function checkValue(name: string, value: string): void {
  const fault =
    value.length < minChars
      ? `it has fewer than ${minChars} characters, which could not be taken out of outputs`
      : value.length > maxChars
        ? `it has more than ${maxChars} characters`
        : value.isWellFormed()
          ? undefined
          : "it contains half of a surrogate pair";
  if (fault === undefined) return;
  throw new SecretError("SECRET_VALUE", `Cannot store the secret "${name}": ${fault}; use another value`);
}
