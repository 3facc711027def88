const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/** Whether a word mixes letters of alphabets that look alike, such as `pаypal` with a Cyrillic а. */
export function mixesScripts(name: string): boolean {
  return name
    .normalize("NFC")
    .split(/[^\p{L}\p{M}]+/u)
    .some((word) => scripts.filter((script) => script.test(word)).length > 1);
}
