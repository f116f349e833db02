import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { Tabs } from '#ui/tabs.tsx';
import type { AdminPartProps } from '../admin-screen.tsx';
import { personPartOf, personParts, type AdminSearch, type PersonPart } from '../admin-search.ts';
import { BackLink } from '../back-link.tsx';
import { failedToLoad, NotLoaded } from '../not-loaded.tsx';
import { isNotFound } from '../refusals.ts';
import { RetryBilling } from '../users/actions/retry-billing.tsx';
import { OwnedLists } from '../users/details/owned-lists.tsx';
import { UserWorkContext, useUserBilling } from '../users/user-work.ts';
import { AppsPart } from './apps-part.tsx';
import { AuditPart } from './audit-part.tsx';
import { CallsPart } from './calls-part.tsx';
import { CreditsPart } from './credits-part.tsx';
import { PaymentsPart } from './payments/payments-part.tsx';
import { PersonHead } from './person-head.tsx';
import { personQuery } from './person-queries.ts';
import { ProfilePart } from './profile/profile-part.tsx';
import { SignInsPart } from './sign-ins-part.tsx';

type PersonPageProps = AdminPartProps & { personId: string };

const labels: Readonly<Record<PersonPart, string>> = {
  profile: 'Profile',
  access: 'Access',
  credits: 'Credits',
  payments: 'Payments',
  calls: 'Calls',
  apps: 'Apps and tokens',
  'sign-ins': 'Sign-ins',
  audit: 'Audit',
};

/** The page of one user, which replaces the list. Failures are shown where they happen. */
export function PersonPage(props: PersonPageProps) {
  const { userId: adminId, search, signInAgain } = props;
  const work = useMemo(() => ({ adminId, report: () => {}, clear: () => {}, signInAgain }), [adminId, signInAgain]);
  return (
    <UserWorkContext value={work}>
      <BackLink search={listOf(search)}>All users</BackLink>
      <Shown {...props} />
    </UserWorkContext>
  );
}

/** Returns the address of the list with its filters. */
function listOf({ tab, q, all, role, active, plan, page }: AdminSearch): AdminSearch {
  return { tab, q, all, role, active, plan, page };
}

function Shown({ userId: adminId, personId, search, onSearchChange }: PersonPageProps) {
  const person = useQuery(personQuery(adminId, personId));
  const billing = useUserBilling(personId);
  const { data } = person;
  if (isNotFound(person.error)) {
    return (
      <EmptyState title="There is no such user" text="The account may have been erased since this link was made." />
    );
  }
  if (!data) return <NotLoaded query={person} label="Loading the user…" describe={failedToLoad('users')} />;
  const { user } = data;
  const part = personPartOf(search) ?? personParts[0];
  const of = { adminId, personId };
  // each part starts without the filters of another
  const goTo = (next: PersonPart, filters: AdminSearch = {}) =>
    onSearchChange({ ...listOf(search), user: personId, part: next, ...filters }, 'push');
  const change = (filters: AdminSearch) => onSearchChange({ ...search, after: undefined, ...filters }, 'push');
  const withBilling = (draw: (of: NonNullable<typeof billing.data>) => ReactNode) => (
    <>
      <RetryBilling billing={billing} />
      {!billing.data && !billing.error && <ListSkeleton label="Loading access…" />}
      {billing.data && draw(billing.data)}
    </>
  );
  const contents: Readonly<Record<PersonPart, () => ReactNode>> = {
    profile: () =>
      withBilling((has) => (
        <ProfilePart
          {...of}
          {...data}
          billing={has.billing}
          onErased={() => onSearchChange(listOf(search), 'replace')}
        />
      )),
    access: () =>
      withBilling((has) => (
        <section aria-label="Access" className="flex flex-col gap-5">
          <OwnedLists user={user} billing={has.billing} />
        </section>
      )),
    credits: () => (
      <CreditsPart {...of} search={search} onChange={change} onPayment={(payment) => goTo('payments', { payment })} />
    ),
    payments: () => <PaymentsPart {...of} user={user} search={search} onChange={change} />,
    calls: () => <CallsPart {...of} search={search} onChange={change} />,
    apps: () => <AppsPart {...of} user={user} />,
    'sign-ins': () => <SignInsPart {...of} search={search} onChange={change} />,
    audit: () => (
      <AuditPart
        {...of}
        search={search}
        onChange={change}
        onWho={(who) => onSearchChange({ tab: 'audit', object: personId, who }, 'push')}
      />
    ),
  };
  const name = user.displayName || user.email;
  return (
    <>
      <ScreenTitle title={`${name} - Administration`} />
      <PersonHead user={user} lastSeenAt={data.lastSeenAt} />
      <div className="mt-6">
        <Tabs
          label={`Parts of ${name}`}
          value={part}
          onChange={(next) => goTo(next)}
          items={personParts.map((value) => ({
            value,
            label: labels[value],
            content: value === part && contents[value](),
          }))}
        />
      </div>
    </>
  );
}
