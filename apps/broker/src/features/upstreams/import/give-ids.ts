import { serverIdSchema } from '@souk/contract/manifest/manifest-basics.ts';

/** Ids of their own for the servers of one text, from their names. */
export type GiveId = (name: string) => string;

/** @param isTaken ids that other servers have */
export function createIds(isTaken: (id: string) => boolean = () => false): GiveId {
  const taken = new Set<string>();
  /** Of each beginning, the last number that was given: counting from 2 each time takes the square of the time. */
  const counts = new Map<string, number>();
  return (name) => {
    const base = baseId(name);
    let count = counts.get(base) ?? 1;
    let id = count === 1 ? base : `${base}-${count}`;
    while (taken.has(id) || isTaken(id)) id = `${base}-${++count}`;
    counts.set(base, count);
    taken.add(id);
    return id;
  };
}

/** The id that a name would have where no other server has it. */
export function baseId(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 58);
  const trimmed = plain.replace(/^-/, '').replace(/-$/, '') || 'server';
  return serverIdSchema.safeParse(trimmed).success ? trimmed : `mcp-${trimmed}`;
}
