/** A text of at most `length` characters, cut at a blank where there is one near, in linear time. */
export function boundText(text: string, length: number): string {
  const oneLine = text
    .slice(0, length * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (oneLine.length <= length) return oneLine;
  const cut = oneLine.slice(0, length - 1);
  const blank = cut.lastIndexOf(' ');
  // never half of a pair of surrogates
  const whole = blank > length / 2 ? cut.slice(0, blank) : cut.replace(/[\uD800-\uDBFF]$/, '');
  return `${whole}…`;
}
