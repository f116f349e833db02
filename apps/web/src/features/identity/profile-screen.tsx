import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatDay } from '#ui/text/amount.ts';
import { Avatar } from '#ui/picture/avatar.tsx';
import { Card } from '#ui/card.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { ExportData } from './export-data.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { profileQuery } from './queries.ts';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import type { SignedInUser } from './session/signed-in-user.ts';

type ProfileScreenProps = { user: SignedInUser; emails: ReactNode; losses: ReactNode; files: ReactNode };

/**
 * The profile, read-only (spec part 2, section 2), the user's e-mails, the export of their data, and the deletion of
 * the account.
 */
export function ProfileScreen({ user, emails, losses, files }: ProfileScreenProps) {
  return (
    <div className="flex flex-col gap-10">
      <TitledSection
        id="profile-heading"
        title="Profile"
        text="From your sign-in provider; updated each time you sign in."
      >
        <Facts user={user} />
      </TitledSection>
      {emails}
      <ExportData userId={user.id} />
      <DeleteAccount user={user} losses={losses} files={files} />
    </div>
  );
}

function Facts({ user }: { user: SignedInUser }) {
  const profile = useQuery(profileQuery(user.id));
  if (profile.isPending) {
    return (
      <DelayedFallback label="Loading your profile…">
        <FactsCard
          photo={<Skeleton className="size-16 rounded-full" />}
          valueOf={() => <Skeleton className="h-5 w-40" />}
        />
      </DelayedFallback>
    );
  }
  if (profile.isError) return <LoadError title="Failed to load your profile" query={profile} />;
  const { displayName, email, photoURL, provider, createdAt } = profile.data;
  const values = {
    'Display name': displayName || '–',
    'E-mail': email,
    Provider: providerName(provider),
    'Member since': <time dateTime={createdAt}>{formatDay(createdAt)}</time>,
  };
  return (
    <FactsCard
      photo={<Avatar name={displayName || email} src={photoURL} size={64} />}
      valueOf={(name) => values[name]}
    />
  );
}

const factNames = ['Display name', 'E-mail', 'Provider', 'Member since'] as const;

/** Keeps its size while the values load. */
function FactsCard({ photo, valueOf }: { photo: ReactNode; valueOf: (name: (typeof factNames)[number]) => ReactNode }) {
  return (
    <Card padding="large" className="flex flex-wrap items-start gap-x-6 gap-y-4">
      {photo}
      <dl className="grid min-w-0 flex-1 basis-64 gap-x-8 gap-y-4 sm:grid-cols-2">
        {factNames.map((name) => (
          <div key={name} className="min-w-0">
            <dt className="text-[0.8125rem] text-quiet">{name}</dt>
            <dd className="mt-0.5 font-medium wrap-anywhere">{valueOf(name)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** Returns 'Unknown' for an empty provider (spec part 2, section 2). */
function providerName(provider: string): string {
  if (provider === '') return 'Unknown';
  return { google: 'Google', oidc: 'Company sign-in', dev: 'Demo sign-in' }[provider] ?? provider;
}
