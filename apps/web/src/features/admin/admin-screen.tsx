import type { ReactNode } from 'react';
import { formatCount } from '#ui/amount.ts';
import { DelayedFallback } from '#ui/delayed-fallback.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { ScreenHeading } from '#ui/screen-heading.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';
import { Tabs } from '#ui/tabs.tsx';
import { failureText } from '#web/failure-text.ts';
import { adminTabs, type AdminSearch, type AdminTab } from './admin-search.ts';
import type { SignInAgain } from './sign-in-again.tsx';

/** Whether the person who looks is an administrator, as far as it is known yet. */
export type AdminAccess =
  | { state: 'checking' }
  | { state: 'failed'; error: unknown; retry: () => void; retrying: boolean }
  | { state: 'visitor' }
  | { state: 'other' }
  | { state: 'admin'; userId: string };

/** What each part of the area gets: who works here, what stands in the address, and how to change it. */
export type AdminPartProps = {
  userId: string;
  search: AdminSearch;
  /** @param how push: a step that Back returns from, such as an opened page; replace: a filter that is typed */
  onSearchChange: (search: AdminSearch, how: 'push' | 'replace') => void;
  signInAgain: SignInAgain;
};

const labels: Readonly<Record<AdminTab, string>> = { manifests: 'Broker Manifests', users: 'User Management' };

/**
 * /admin: shows its tabs to administrators, sends other people home, and asks visitors to sign in (spec part 2, section 2).
 * This decides what is drawn: what may be done is decided by the broker, at each call.
 */
export function AdminScreen({
  access,
  search,
  onSearchChange,
  signInAgain,
  signIn,
  redirectHome,
  waiting,
  tabs,
}: Omit<AdminPartProps, 'userId'> & {
  access: AdminAccess;
  signIn: ReactNode;
  redirectHome: ReactNode;
  /** How much waits for a decision in each tab, and what. */
  waiting: Partial<Record<AdminTab, { count: number; text: string }>>;
  tabs: Readonly<Record<AdminTab, (props: AdminPartProps) => ReactNode>>;
}) {
  switch (access.state) {
    case 'other':
      return redirectHome;
    case 'visitor':
      return (
        <Titled>
          <ErrorState title="Access Denied" text="Sign in as an administrator to open this page." actions={signIn} />
        </Titled>
      );
    case 'failed':
      return (
        <Titled>
          <ErrorState title={failureText(access.error)} onRetry={access.retry} retrying={access.retrying} />
        </Titled>
      );
    case 'checking':
      return (
        <Titled>
          <DelayedFallback label="Checking access permissions...">
            <p aria-hidden className="py-16 text-center text-quiet">
              Checking access permissions...
            </p>
          </DelayedFallback>
        </Titled>
      );
  }
  const chosen = search.tab ?? adminTabs[0];
  const props = { userId: access.userId, search, onSearchChange, signInAgain };
  return (
    <>
      {/* the page of a server has a title of its own */}
      {search.id === undefined && <ScreenTitle title={`${labels[chosen]} - Administration`} />}
      <ScreenHeading title="Administration" />
      <Tabs
        label="Administration"
        value={chosen}
        // another tab begins without the filters of this one
        onChange={(tab) => onSearchChange({ tab }, 'push')}
        items={adminTabs.map((value) => ({
          value,
          label: <TabLabel text={labels[value]} waiting={waiting[value]} />,
          content: value === chosen && tabs[value](props),
        }))}
      />
    </>
  );
}

function TabLabel({ text, waiting }: { text: string; waiting: { count: number; text: string } | undefined }) {
  if (!waiting || waiting.count === 0) return text;
  return (
    <>
      {text}{' '}
      <span
        title={waiting.text}
        className="ml-1 rounded-full bg-accent-soft px-1.5 py-0.5 text-xs text-accent tabular-nums"
      >
        {formatCount(waiting.count)}
        <span className="sr-only"> waiting</span>
      </span>
    </>
  );
}

function Titled({ children }: { children: ReactNode }) {
  return (
    <>
      <ScreenTitle title="Administration" />
      <h1 className="sr-only">Administration</h1>
      {children}
    </>
  );
}
