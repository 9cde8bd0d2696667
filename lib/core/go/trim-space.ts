// Go's idea of white space, which differs from JavaScript's in two characters: U+0085 is space, U+FEFF is not.
// As strings.TrimSpace. For kinds whose texts may not be blank.

/** The text without white space at its ends. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text, start)) start++;
  while (end > start && isSpace(text, end - 1)) end--;
  return text.slice(start, end);
}

/** Returns whether there is nothing but white space. */
export function isBlank(text: string): boolean {
  return trimSpace(text) === '';
}

/** Returns whether a line ends inside the text. */
export function hasLineBreak(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}

function isSpace(text: string, index: number): boolean {
  const character = text[index] ?? '';
  return character === '\u0085' || (character !== '\ufeff' && character.trim() === '');
}
