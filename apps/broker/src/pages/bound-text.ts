/** Shortens a text to at most `length` characters, at a space if there is one near. Takes linear time. */
export function boundText(text: string, length: number): string {
  const oneLine = text
    .slice(0, length * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (oneLine.length <= length) return oneLine;
  const cut = oneLine.slice(0, length - 1);
  const blank = cut.lastIndexOf(' ');
  // does not cut a surrogate pair in half
  const whole = blank > length / 2 ? cut.slice(0, blank) : cut.replace(/[\uD800-\uDBFF]$/, '');
  return `${whole}…`;
}
