import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { formatMonthly } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { CopyButton } from '#ui/text/copy-button.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { sells } from '#web/config.ts';
import { Section } from '../../section.tsx';
import { differencesQuery, rentersQuery, type ServerPartProps } from '../server-queries.ts';
import { partOf, type JsonObject } from '../part-of.ts';
import { RentalPriceForm } from './rental-price-form.tsx';
import { Renters } from './renters.tsx';
import { ItemsWithCode } from '../../text-with-code.tsx';

type Rental = { price: number; currency: string };

export function MoneyPart(part: ServerPartProps) {
  if (!sells) {
    return <EmptyState title="Nothing is sold here" text="Payments are switched off in this installation." />;
  }
  return (
    <div className="flex flex-col gap-8">
      <RentalPrice {...part} />
      <Renters userId={part.userId} serverId={part.serverId} />
    </div>
  );
}

function RentalPrice(part: ServerPartProps) {
  const { userId, serverId, shown } = part;
  const { listed } = shown;
  const isWaiting = listed !== null && listed.deployedVersion !== null && listed.stagedVersion !== null;
  const { data } = useQuery({ ...differencesQuery(userId, serverId, {}), enabled: isWaiting });
  const [isEdited, setIsEdited] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const staged = rentalOf(shown.manifest);
  const deployed = isWaiting ? data?.before && rentalOf(data.before) : listed?.deployedVersion ? staged : undefined;
  const waits = isWaiting && data !== undefined && priceText(deployed ?? undefined) !== priceText(staged);
  return (
    <Section id="server-rental" gap="gap-4" title="Rental">
      <Card padding="large" className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p>
            <span className="text-xl font-semibold tracking-tight">
              {priceText(deployed ?? (isWaiting ? undefined : staged))}
            </span>
            {waits && <span className="ml-3 text-accent">{priceText(staged)} waiting to be deployed</span>}
          </p>
          {!isEdited && (
            <Button ref={button} onClick={() => setIsEdited(true)}>
              Change price
            </Button>
          )}
        </div>
        <AtProvider userId={userId} serverId={serverId} />
        {waits && data.effects.length > 0 && (
          <ul aria-label="Effects of the staged version" className="list-disc space-y-1 pl-5 text-quiet wrap-anywhere">
            <ItemsWithCode texts={data.effects} />
          </ul>
        )}
        {isEdited && (
          <RentalPriceForm
            {...part}
            rental={staged}
            onClose={() => {
              setIsEdited(false);
              requestAnimationFrame(() => button.current?.focus());
            }}
          />
        )}
      </Card>
    </Section>
  );
}

/** Ids of the rental at the payment provider. */
function AtProvider({ userId, serverId }: { userId: string; serverId: string }) {
  const { data } = useQuery(rentersQuery(userId, serverId, 1));
  if (!data?.price) return null;
  const ids = [
    { name: 'Product', id: data.price.productId },
    { name: 'Price', id: data.price.priceId },
  ];
  return (
    <dl aria-label="At the payment provider" className="flex flex-wrap gap-x-8 gap-y-2 text-[0.8125rem]">
      {ids.map(({ name, id }) => (
        <div key={name} className="min-w-0">
          <dt className="text-quiet">{name} at the payment provider</dt>
          <dd className="flex items-center gap-1">
            <code className="min-w-0 font-mono wrap-anywhere">{id}</code>
            <CopyButton text={id} size="small" variant="ghost" name={`Copy the id of the ${name.toLowerCase()}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const priceText = (rental: Rental | undefined) =>
  rental ? formatMonthly(rental.price, rental.currency) : 'Not for rent';

function rentalOf(manifest: JsonObject): Rental | undefined {
  const { price, currency } = partOf(partOf(manifest, 'billing'), 'rental');
  return typeof price === 'number' ? { price, currency: typeof currency === 'string' ? currency : 'USD' } : undefined;
}
