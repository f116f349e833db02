/** Parts of a secret that are shorter, such as the braces of one in JSON, say nothing. */
const shortestSecret = 4;
/** A word of a header's value that is shorter is its scheme, such as Bearer. */
const shortestWord = 8;

/** A text with `[redacted]` wherever it contains one of these values, a line of one, or a long word of one. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return hideParts(text, partsOf(secrets, shortestSecret));
}

/** What is not to be written anywhere: values by their owner, such as a server. */
export type HiddenValues = { set(owner: string, values: readonly string[]): void; hide(line: string): string };

/** Takes values out of lines of JSON, where quotes and line breaks are escaped, also those of an error that quotes JSON. */
export function createHiddenValues(): HiddenValues {
  const byOwner = new Map<string, readonly string[]>();
  let parts: readonly string[] = [];
  return {
    set(owner, values) {
      if (values.length === 0) byOwner.delete(owner);
      else byOwner.set(owner, values);
      // a shorter one stands in many lines by chance
      const plain = partsOf([...byOwner.values()].flat(), shortestWord);
      parts = [...new Set(plain.flatMap((part) => [escaped(escaped(part)), escaped(part), part]))];
    },
    hide: (line) => hideParts(line, parts),
  };
}

function hideParts(text: string, parts: readonly string[]): string {
  return parts.reduce((shown, part) => (shown.includes(part) ? shown.replaceAll(part, '[redacted]') : shown), text);
}

const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/** The longest first: one secret may be the beginning of another. */
function partsOf(secrets: readonly string[], shortest: number): string[] {
  const whole = secrets.flatMap((secret) => [secret, ...secret.split('\n')]).map((part) => part.trim());
  const words = secrets.flatMap((secret) => secret.split(/\s/)).filter((word) => word.length >= shortestWord);
  const parts = new Set([...whole.filter((part) => part.length >= shortest), ...words]);
  return [...parts].toSorted((a, b) => b.length - a.length);
}
