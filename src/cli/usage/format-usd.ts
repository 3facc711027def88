/** Sums below ten cents have four digits: a request often costs less than a cent. */
export function formatUsd(micros: number): string {
  if (micros > 0 && micros < 100) return "<$0.0001";
  const digits = micros > 0 && micros < 100_000 ? 4 : 2;
  return `$${(micros / 1_000_000).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}
