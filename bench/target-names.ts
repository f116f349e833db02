/** Words after the name of a broker: calls that cost credits; two brokers with the calls of one person, free ones and paid. */
export const chargedWord = 'charged';
export const pairWord = 'pair';
export const pairChargedWord = 'pair-charged';

/** The target that differs from this one in its price alone. */
export function freeOf(target: string): string | undefined {
  const [kind, database, word] = target.split(' ');
  if (word === chargedWord) return `${kind} ${database}`;
  return word === pairChargedWord ? `${kind} ${database} ${pairWord}` : undefined;
}
