import type { ManifestRunItem } from '@souk/contract/admin/manifest-runs.ts';

/** One manifest of a run, or several that failed for the same reason. */
export type RunGroup = Pick<ManifestRunItem, 'status' | 'message'> & { items: [ManifestRunItem, ...ManifestRunItem[]] };

const order: Readonly<Record<ManifestRunItem['status'], number>> = {
  failed: 0,
  unanswered: 1,
  working: 2,
  asking: 3,
  queued: 4,
  done: 5,
};

/** Removes the address: "connect ECONNREFUSED 10.0.0.1:443" counts as the same failure for every address. */
function withoutAddress(message: string): string {
  const start = message.lastIndexOf(' ');
  return start > 0 && /:\d{1,5}$/.test(message.slice(start)) ? message.slice(0, start) : message;
}

/** Groups equal failures and sorts the groups; otherwise the order stays. */
export function groupRun(items: readonly ManifestRunItem[]): RunGroup[] {
  const groups = new Map<string, RunGroup>();
  for (const item of items) {
    const { id, status, message } = item;
    const isFolded = status === 'failed' || status === 'unanswered';
    const reason = message && withoutAddress(message);
    const key = isFolded ? `${status} ${reason ?? ''}` : `item ${id}`;
    const known = groups.get(key);
    if (known) {
      known.items.push(item);
      if (reason !== undefined && known.message !== message) known.message = reason;
    } else groups.set(key, { status, ...(message !== undefined && { message }), items: [item] });
  }
  return [...groups.values()].toSorted((a, b) => order[a.status] - order[b.status]);
}
