/** Whether a text is a colour as CSS writes it: hexadecimal, a function, or a name. */
export function isColour(text: string): boolean {
  return hexadecimal.test(text) || functional.test(text) || /^[a-z]{3,30}$/i.test(text);
}

const hexadecimal = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const functional = /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\([\d\s,./%+a-z-]{1,100}\)$/i;
