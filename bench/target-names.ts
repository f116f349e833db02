/** Words after the name of a broker: calls that cost credits; two brokers with the calls of one person, free ones and paid. */
export const chargedWord = 'charged';
export const pairWord = 'pair';
export const pairChargedWord = 'pair-charged';

const earlierWord = 'earlier-';
const tracedWord = 'traced-';

/** The target that differs from this one in its price alone. */
export function freeOf(target: string): string | undefined {
  const [kind, database, word] = target.split(' ');
  if (word === chargedWord) return `${kind} ${database}`;
  return word === pairChargedWord ? `${kind} ${database} ${pairWord}` : undefined;
}

/** The name of the other checkout's broker, which stands for an earlier state of the product. One word, as of a database. */
export function earlierName(database: string): string {
  return `${earlierWord}${database}`;
}

/** The name of the broker that sends a trace of each call to a collector. One word, as of a database. */
export function tracedName(database: string): string {
  return `${tracedWord}${database}`;
}

/** Whether a broker of this name is this checkout's, as it is by default. */
export function isOwn(name: string): boolean {
  return !name.startsWith(earlierWord) && !name.startsWith(tracedWord);
}

/** The target that differs from one with traces in these alone. */
export function untracedOf(target: string): string | undefined {
  const [kind, database = '', ...words] = target.split(' ');
  return database.startsWith(tracedWord) ? [kind, database.slice(tracedWord.length), ...words].join(' ') : undefined;
}

/** The target of the earlier broker that differs from this one in nothing else. */
export function earlierOf(target: string): string | undefined {
  const [kind, database = '', ...words] = target.split(' ');
  return kind === 'souk' && isOwn(database) ? [kind, earlierName(database), ...words].join(' ') : undefined;
}
