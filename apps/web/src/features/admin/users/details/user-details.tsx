import type { UserBilling } from '@souk/contract/admin/billing.ts';
import type { AdminUser } from '@souk/contract/admin/users.ts';
import CirclePlus from 'lucide-react/icons/circle-plus';
import Coins from 'lucide-react/icons/coins';
import { useState } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { GrantDialogs, type AskedGrant } from '../actions/grant-dialogs.tsx';
import type { BillingUser } from '../owned.ts';
import { creditsWord } from '../user-words.ts';
import { useUserWork } from '../user-work.ts';
import { AccountActions } from './account-actions.tsx';
import { OwnedLists } from './owned-lists.tsx';
import { Part } from './part.tsx';
import { UserFacts } from './user-facts.tsx';

export type UserDetailsProps = {
  user: BillingUser;
  billing: UserBilling;
  listed: AdminUser | undefined;
  onErased: () => void;
};

/** Facts, access and actions of a user. Its dialogs open above the details dialog. */
export function UserDetails({ user, billing, listed, onErased }: UserDetailsProps) {
  const { adminId } = useUserWork();
  const [asked, setAsked] = useState<AskedGrant>();
  return (
    <>
      <UserFacts user={user} listed={listed} />
      <Part
        title="Credits"
        action={
          <Button
            size="small"
            icon={<Coins aria-hidden size={15} />}
            onClick={() => setAsked({ action: 'credits', user })}
          >
            Edit credits
          </Button>
        }
      >
        <Balance credits={billing.credits} />
      </Part>
      <Part
        title="Subscriptions and access"
        action={
          <Button
            size="small"
            icon={<CirclePlus aria-hidden size={15} />}
            onClick={() => setAsked({ action: 'subscription', user })}
          >
            Add subscription
          </Button>
        }
      >
        <OwnedLists user={user} billing={billing} />
      </Part>
      {user.id === adminId ? (
        <Part title="Account">
          <p className="text-quiet">This is your own account: you cannot deactivate or erase it here.</p>
        </Part>
      ) : (
        <AccountActions user={user} billing={billing} onErased={onErased} />
      )}
      <GrantDialogs asked={asked} onClose={() => setAsked(undefined)} />
    </>
  );
}

function Balance({ credits: { balance, currency, held, debt } }: { credits: UserBilling['credits'] }) {
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-quiet">
      <span className="text-xl/7 font-semibold tracking-tight text-text tabular-nums">{creditsWord(balance)}</span>
      <Facts>
        {currency}
        {held > 0 && `${formatCount(held)} held by running calls`}
        {debt > 0 && `${formatCount(debt)} owed`}
      </Facts>
    </p>
  );
}
