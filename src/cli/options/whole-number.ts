import { InvalidArgumentError } from "commander";

/** A whole number from `least` to `most`, for the parser of an option. */
export function toNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`give a whole number from ${least} to ${most}.`);
  };
}
