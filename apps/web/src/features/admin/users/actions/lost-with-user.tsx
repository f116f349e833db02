import type { UserBilling } from '@souk/contract/admin/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { counted, formatCount, formatMoment } from '#ui/text/amount.ts';
import { keptAt } from '#web/texts/kept-size.ts';
import { adminApi, personKey } from '../../admin-api.ts';
import { ownedOf, type OwnedThing } from '../owned.ts';

/** Losses that are named; the others are counted, so that the dialog stays short. */
const namedLosses = 8;

/** Lists what a user loses when they are erased, like the dialog where users delete their own account. */
export function LostWithUser({ adminId, userId, billing }: { adminId: string; userId: string; billing: UserBilling }) {
  const files = useQuery({
    queryKey: [...personKey(adminId, userId), 'files'],
    queryFn: async ({ signal }) => (await adminApi.listPersonFiles({ params: { id: userId } }, { signal })).files,
    staleTime: 0,
  });
  const { subscription, rental, purchase, trial } = ownedOf(billing);
  const { balance } = billing.credits;
  const losses = [
    ...(balance > 0 ? [counted(balance, 'credit')] : []),
    ...[...subscription, ...rental, ...purchase, ...trial].map(lossText),
    ...(files.isError ? ['any files that services keep for them here'] : []),
    ...(files.data && files.data.servers.length > 0 ? [`files that services keep here: ${keptAt(files.data)}`] : []),
  ];
  if (files.isPending) return <p className="text-quiet">Looking for files that services keep for them…</p>;
  if (losses.length === 0)
    return <p className="text-quiet">They have no plan, no rental, no purchase, no credits and no files.</p>;
  const more = losses.length - namedLosses;
  return (
    <div className="text-quiet">
      <p>
        <strong className="font-medium text-text">They lose now, without a refund:</strong>
      </p>
      <ul aria-label="What they lose" className="mt-1.5 flex list-disc flex-col gap-1 pl-5">
        {losses.slice(0, namedLosses).map((text) => (
          <li key={text} dir="auto" className="wrap-anywhere">
            {text}
          </li>
        ))}
        {more > 0 && <li>and {formatCount(more)} more</li>}
      </ul>
    </div>
  );
}

const kinds: Readonly<Record<OwnedThing['kind'], string>> = {
  subscription: 'plan',
  rental: 'rental',
  purchase: 'purchase',
  trial: 'trial',
};

function lossText({ kind, name, source, endsAt }: OwnedThing): string {
  const how = { payment: 'paid', administrator: 'granted by an administrator', person: 'started by them' }[source];
  return `${name} (${kinds[kind]}), ${how}${endsAt === null ? ', no end' : ` until ${formatMoment(endsAt)}`}`;
}
