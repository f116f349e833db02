import type { Needs } from '@souk/contract/admin/overview.ts';
import { formatDay, formatMoney } from '#ui/text/amount.ts';
import type { AdminSearch } from '../admin-search.ts';

/** An item that waits, as a sentence with a link. */
export type NeedRow = {
  key: string;
  before: string;
  link: { text: string; search: AdminSearch } | undefined;
  after: string;
  detail?: string | null;
  since?: string | null;
};

export type NeedGroup = {
  key: string;
  title: string;
  /** urgent: users or money are affected now. */
  tone: 'urgent' | 'calm';
  rows: NeedRow[];
  /** Number of items that are not listed. */
  more: number;
};

type Person = { userId: string | null; email: string | null };

/** Starts a sentence with a user, as a link if their account still exists. */
function startsWith({ userId, email }: Person, otherwise: string, start = ''): Pick<NeedRow, 'before' | 'link'> {
  if (userId === null || email === null) return { before: `${start}${otherwise}`, link: undefined };
  return { before: start, link: { text: email, search: { tab: 'users', user: userId, part: 'payments' } } };
}

const server = (id: string, name: string, part?: AdminSearch['part']): NeedRow['link'] => ({
  text: name,
  search: { tab: 'manifests', id, ...(part && { part }) },
});

/** Returns what waits for an administrator, most urgent first. */
export function needGroups(needs: Needs): NeedGroup[] {
  const groups: NeedGroup[] = [
    group('ledger', 'Ledger', 'urgent', needs.ledgerFaults, ({ userId, fault }) => ({
      key: `${userId} ${fault}`,
      before: 'The credits of ',
      link: { text: 'this account', search: { tab: 'users', user: userId, part: 'credits' } },
      after: " don't add up. This should never happen.",
      detail: fault,
    })),
    group('disputes', 'Disputes', 'urgent', needs.disputes, (one) => ({
      key: one.id,
      ...startsWith(one, 'A customer'),
      after:
        ` disputes a payment of ${formatMoney(one.amountCents, one.currency)}${one.description === null ? '' : ` for ${one.description}`}. ` +
        (one.dueBy === null ? 'Answer it at the payment provider.' : `Answer it by ${formatDay(one.dueBy)}.`),
      detail: `Reason: ${words(one.reason)}. ${one.id}`,
    })),
    group(
      'servers',
      'Failing servers',
      'urgent',
      needs.failingServers,
      ({ serverId, name, reason, detail, since }) => ({
        key: serverId,
        before: '',
        link: server(serverId, name),
        after: ' is failing.',
        detail: [reason ?? 'No reason is known', ...(detail === null ? [] : [detail])].join(': '),
        since,
      }),
    ),
    group('certificates', 'Certificates', 'urgent', needs.endingCertificates, (one) => ({
      key: one.serverId,
      before: 'The certificate of ',
      link: server(one.serverId, one.name),
      after: one.hasExpired
        ? ` expired on ${formatDay(one.validUntil)}. Calls to it fail.`
        : ` expires on ${formatDay(one.validUntil)}. Calls to it fail then.`,
      detail: `Issued by ${one.issuer ?? 'an unnamed authority'}. Its owner has to renew it.`,
    })),
    group('sign-ins', 'Sign-ins to confirm', 'urgent', needs.signInsToConfirm, (one) => ({
      key: one.serverId,
      before: 'No one can sign in to ',
      link: server(one.serverId, one.name),
      after: ' until you decide where it may send people.',
      detail: `It sends people to ${one.issuer}.`,
      since: one.since,
    })),
    group('renewals', 'Failed renewals', 'urgent', needs.failedRenewals, (one) => ({
      key: `${one.userId} ${one.what}`,
      ...startsWith(one, 'A deleted account'),
      after: ` couldn't be charged for ${one.what}.`,
      detail: 'They keep access while the payment is retried.',
      since: one.since,
    })),
    group('orders', 'Flagged payments', 'urgent', needs.flaggedOrders, (one) => ({
      key: one.orderId,
      ...startsWith(one, 'A deleted account'),
      after: ` paid for ${one.description}, and got nothing for it yet: ${one.reason ?? 'the payment differs from the order'}.`,
      detail: `Order ${one.orderId} of ${formatMoney(one.amountCents, one.currency)}. It is refunded after 7 days unless you decide otherwise.`,
      since: one.since,
    })),
    group('refunds', 'Failed refunds', 'urgent', needs.failedRefunds, (one) => ({
      key: one.refundId,
      ...startsWith(one, 'A deleted account'),
      after: ` didn't get ${formatMoney(one.amountCents, one.currency)} back${one.description === null ? '' : ` for ${one.description}`}. Refund it from their payments, or at the payment provider.`,
      detail: one.reason,
      since: one.since,
    })),
    group('events', 'Webhooks', 'urgent', needs.failingEvents, (one) => ({
      key: one.id,
      before: 'The event ',
      link: { text: one.type, search: { tab: 'system' } },
      after: ` couldn't be handled${one.attempts === 1 ? '' : ` in ${one.attempts} attempts`}. It will be retried.`,
      detail: `${one.error} (${one.id})`,
      since: one.receivedAt,
    })),
    group('found', 'Found by the reconciler', 'calm', needs.foundPayments, (one) => ({
      key: `${one.subject} ${one.at}`,
      ...startsWith(one, 'an unknown account', `A ${one.kind} of `),
      after: ' was corrected: its webhook did not arrive, or failed.',
      detail: one.subject,
      since: one.at,
    })),
    group('tools', 'Tools under review', 'calm', needs.toolsUnderReview, ({ serverId, name, tools }) => ({
      key: serverId,
      before: tools === 1 ? 'A tool of ' : `${tools} tools of `,
      link: server(serverId, name, 'tools'),
      after: tools === 1 ? ' changed. It is hidden until you decide.' : ' changed. They are hidden until you decide.',
    })),
    group('staged', 'Staged versions', 'calm', needs.stagedVersions, ({ serverId, name, version }) => ({
      key: serverId,
      before: '',
      link: server(serverId, name, 'changes'),
      after: ` ${version} is staged, and not deployed yet.`,
    })),
  ];
  return groups.filter(({ rows }) => rows.length > 0);
}

/** Formats a provider's code, such as product_not_received. */
const words = (name: string) => name.replaceAll('_', ' ');

function group<Item>(
  key: string,
  title: string,
  tone: NeedGroup['tone'],
  { total, items }: { total: number; items: readonly Item[] },
  present: (item: Item) => NeedRow,
): NeedGroup {
  const rows = items.map(present);
  // the total of tools counts tools, but each row is a server
  return { key, title, tone, rows, more: key === 'tools' ? 0 : Math.max(0, total - rows.length) };
}
