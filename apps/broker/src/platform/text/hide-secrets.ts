/** Shorter parts of a secret, such as the braces of JSON, are not secret. */
const shortestSecret = 4;
/** A shorter word of a header's value is its scheme, such as Bearer. */
const shortestWord = 8;

/** Replaces these values, their lines and their long words in a text with `[redacted]`. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return hideParts(text, partsOf(secrets, shortestSecret));
}

/** Values that must not be logged, by their owner, such as a server. */
export type HiddenValues = { set(owner: string, values: readonly string[]): void; hide(line: string): string };

/** Hides values in lines of JSON, where they may be escaped, even twice, if an error quotes JSON. */
export function createHiddenValues(): HiddenValues {
  const byOwner = new Map<string, readonly string[]>();
  let parts: readonly string[] = [];
  return {
    set(owner, values) {
      if (values.length === 0) byOwner.delete(owner);
      else byOwner.set(owner, values);
      // shorter ones occur in many lines by chance
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

/** Returns the longest first, since one secret may be the beginning of another. */
function partsOf(secrets: readonly string[], shortest: number): string[] {
  const whole = secrets.flatMap((secret) => [secret, ...secret.split('\n')]).map((part) => part.trim());
  const words = secrets.flatMap((secret) => secret.split(/\s/)).filter((word) => word.length >= shortestWord);
  const parts = new Set([...whole.filter((part) => part.length >= shortest), ...words]);
  return [...parts].toSorted((a, b) => b.length - a.length);
}
