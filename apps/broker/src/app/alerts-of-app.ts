import type { Needs } from '@souk/contract/admin/overview.ts';
import { isDown, type CatalogueServer } from '#features/catalogue/index.ts';
import { certificateThresholdsDays } from '#features/upstreams/index.ts';
import type { SystemView } from '#features/system/index.ts';
import type { Alert } from '#platform/notices/alert.ts';
import type { Overview } from '../overview/create-overview.ts';

const dayMs = 24 * 60 * 60_000;
const downMs = 5 * 60_000;
const silentMs = 48 * 60 * 60_000;
/** Number of down servers with an alert each. If more are down, they share a cause, and one alert reports them all. */
const namedServers = 3;
/** Warnings of the System screen about the running installation. The others are about its configuration. */
const alarming: ReadonlySet<string> = new Set([
  'ledger',
  'backup-old',
  'disk-low',
  'webhook',
  'job',
  'broker-gone',
  'notices',
  'e-mails',
]);

export async function findAlerts(parts: {
  system: Pick<SystemView, 'read'>;
  overview: Pick<Overview, 'needs'>;
  servers(): readonly CatalogueServer[];
  /** Returns whether the payment provider should have reported something since its last event. */
  isEventMissed(since: Date): Promise<boolean>;
  nowMs: number;
}): Promise<Alert[]> {
  const { nowMs } = parts;
  const [{ warnings, payments }, { needs }] = await Promise.all([parts.system.read(), parts.overview.needs()]);
  return [
    ...ofWarnings(warnings),
    ...ofServers(parts.servers(), nowMs),
    ...ofNeeds(needs),
    ...ofCertificates(needs, nowMs),
    ...(await ofSilence(payments, parts)),
  ];
}

type System = Awaited<ReturnType<SystemView['read']>>;

/** Joins warnings of one kind, such as two failed jobs, in one alert. */
function ofWarnings(warnings: System['warnings']): Alert[] {
  const byId = Map.groupBy(
    warnings.filter(({ id }) => alarming.has(id)),
    ({ id }) => id,
  );
  return [...byId].map(([id, all]) => ({
    cause: id,
    text: all.map(({ text }) => text).join(' '),
    path: '/admin?tab=system',
  }));
}

function ofServers(servers: readonly CatalogueServer[], nowMs: number): Alert[] {
  const down = servers.filter((server) => isDown(server) && nowMs - (server.statusSinceMs ?? nowMs) >= downMs);
  if (down.length <= namedServers)
    return down.map(({ id, manifest }) => ({
      cause: `server-down:${id}`,
      text: `${manifest.name} has been down for more than five minutes.`,
      path: `/admin?tab=manifests&id=${encodeURIComponent(id)}`,
    }));
  const names = down.slice(0, namedServers).map(({ manifest }) => manifest.name);
  const text = `${down.length} servers have been down for more than five minutes: ${names.join(', ')} and ${down.length - namedServers} more.`;
  return [{ cause: 'servers-down', text, path: '/admin' }];
}

function ofNeeds({ toolsUnderReview, disputes, flaggedOrders }: Needs): Alert[] {
  const alert = (cause: string, total: number, text: string): Alert[] =>
    total === 0 ? [] : [{ cause, text, path: '/admin' }];
  const counted = (total: number, one: string, many: string) => (total === 1 ? `1 ${one}` : `${total} ${many}`);
  return [
    ...alert(
      'tools-under-review',
      toolsUnderReview.total,
      `${counted(toolsUnderReview.total, 'changed tool waits', 'changed tools wait')} for your review.`,
    ),
    ...alert('disputes', disputes.total, `${counted(disputes.total, 'dispute waits', 'disputes wait')} for an answer.`),
    ...alert(
      'flagged-orders',
      flaggedOrders.total,
      `${counted(flaggedOrders.total, 'payment is', 'payments are')} not what was ordered, or could not be returned.`,
    ),
  ];
}

/** Reports each certificate once per threshold before it expires, and once after. */
function ofCertificates({ endingCertificates }: Needs, nowMs: number): Alert[] {
  return endingCertificates.items.map(({ serverId, name, validUntil, hasExpired }) => {
    const leftMs = Date.parse(validUntil) - nowMs;
    const threshold = certificateThresholdsDays.findLast((days) => leftMs < days * dayMs) ?? 0;
    return {
      cause: `certificate:${serverId}:${validUntil}:${hasExpired ? 'expired' : `${threshold}-days`}`,
      text: `The certificate of ${name} ${hasExpired ? 'expired' : 'expires'} on ${validUntil.slice(0, 10)}.`,
      path: `/admin?tab=manifests&id=${encodeURIComponent(serverId)}`,
      once: true,
    };
  });
}

/** Reports that payment events, which arrived before, stopped for two days although something was sold or renewed. */
async function ofSilence(
  { kind, webhook }: System['payments'],
  { nowMs, isEventMissed }: { nowMs: number; isEventMissed(since: Date): Promise<boolean> },
): Promise<Alert[]> {
  const last = webhook?.lastEventAt;
  if (kind !== 'stripe' || !last || nowMs - Date.parse(last) < silentMs || !(await isEventMissed(new Date(last))))
    return [];
  const text = `The payment provider has sent no events since ${last}, although something was sold or renewed. Check its webhook.`;
  return [{ cause: 'webhook-silent', text, path: '/admin?tab=system' }];
}
