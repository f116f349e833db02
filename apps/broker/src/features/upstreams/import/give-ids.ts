import { serverIdSchema } from '@souk/contract/manifest/manifest-basics.ts';

/** Returns a unique id for a server of a text, from its name. */
export type GiveId = (name: string) => string;

export function createIds(isTaken: (id: string) => boolean = () => false): GiveId {
  const taken = new Set<string>();
  /** Last number given per base id: counting from 2 each time would take quadratic time. */
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

/** Returns the id for a name if no other server has it. */
export function baseId(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 58);
  const trimmed = plain.replace(/^-/, '').replace(/-$/, '') || 'server';
  return serverIdSchema.safeParse(trimmed).success ? trimmed : `mcp-${trimmed}`;
}
