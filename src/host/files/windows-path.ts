const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** What is wrong with a path on Windows, where many spellings mean something other than a file. */
export function checkWindowsName(given: string): string | undefined {
  if (/^[\\/]{2}/.test(given)) return "it names a network share or a device; use a path on a drive";
  if (/^[A-Za-z]:(?![\\/])/.test(given)) return 'it is relative to a drive; write "C:\\..." in full';
  for (const name of given.replace(/^[A-Za-z]:/, "").split(/[\\/]/)) {
    if (name.includes(":")) return "it names a stream of a file; name the file itself";
    if (reserved.test(name)) return `"${name}" is a device; use another name`;
    if (/[. ]$/.test(name) && name !== "." && name !== "..")
      return `"${name}" ends in a dot or a space, which Windows drops`;
  }
  return undefined;
}
