/** Suffixes of a broker's name: paid calls; free and paid calls of one user on two brokers. */
export const chargedWord = 'charged';
export const pairWord = 'pair';
export const pairChargedWord = 'pair-charged';

const earlierWord = 'earlier-';
const tracedWord = 'traced-';

/** Returns the target that differs from this one only in its price. */
export function freeOf(target: string): string | undefined {
  const [kind, database, word] = target.split(' ');
  if (word === chargedWord) return `${kind} ${database}`;
  return word === pairChargedWord ? `${kind} ${database} ${pairWord}` : undefined;
}

/** Returns the name of the other checkout's broker, an earlier state of the product. Like a database's name, it is one word. */
export function earlierName(database: string): string {
  return `${earlierWord}${database}`;
}

/** Returns the name of the broker that sends a trace of each call to a collector, also one word. */
export function tracedName(database: string): string {
  return `${tracedWord}${database}`;
}

/** Whether the name is that of an ordinary broker of this checkout. */
export function isOwn(name: string): boolean {
  return !name.startsWith(earlierWord) && !name.startsWith(tracedWord);
}

/** Returns the target that differs from a traced one only in the traces. */
export function untracedOf(target: string): string | undefined {
  const [kind, database = '', ...words] = target.split(' ');
  return database.startsWith(tracedWord) ? [kind, database.slice(tracedWord.length), ...words].join(' ') : undefined;
}

export function earlierOf(target: string): string | undefined {
  const [kind, database = '', ...words] = target.split(' ');
  return kind === 'souk' && isOwn(database) ? [kind, earlierName(database), ...words].join(' ') : undefined;
}
