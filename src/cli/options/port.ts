import { InvalidArgumentError } from "commander";

/** The value of an option that is a port. */
export function toPort(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new InvalidArgumentError("give a whole number from 0 to 65535.");
}
