import { manifestSorts } from '@souk/contract/admin/manifests.ts';
import { serverKinds } from '@souk/contract/catalogue/registries.ts';

/** The specification's two tabs come first (part 2, section 2); the first is the default. */
export const adminTabs = ['manifests', 'users', 'overview', 'offers', 'audit', 'allowed', 'system'] as const;
export type AdminTab = (typeof adminTabs)[number];

export const adminTabLabels: Readonly<Record<AdminTab, string>> = {
  manifests: 'Broker Manifests',
  users: 'User Management',
  overview: 'Overview',
  offers: 'Offers',
  audit: 'Audit Log',
  allowed: 'Allow List',
  system: 'System',
};

/** Parts of a server's page; the first is the default. */
export const serverParts = ['overview', 'manifest', 'changes', 'tools', 'test', 'secrets', 'money'] as const;
export type ServerPart = (typeof serverParts)[number];

export const importParts = ['text', 'registry', 'updates'] as const;
export type ImportPart = (typeof importParts)[number];

/** Parts of a user's page. An address with a user and no part opens the details dialog above the list. */
export const personParts = ['profile', 'access', 'credits', 'payments', 'calls', 'apps', 'sign-ins', 'audit'] as const;
export type PersonPart = (typeof personParts)[number];

export const callOutcomes = ['ok', 'error', 'failed', 'refused', 'cancelled'] as const;

export const maxSearchLength = 200;
/** A name of 200 characters, a space and a version of 255. */
const maxPickLength = 456;
const longestAllowListEntry = 300;
const maxPage = 1_000_000;

/**
 * State of the administrator area in the address, so that every view can be shared and Back works. An absent field filters
 * nothing; an absent page is the first.
 */
export type AdminSearch = ReturnType<typeof parseAdminSearch>;

/** Reads the address and drops unknown values. */
export function parseAdminSearch(raw: Record<string, unknown>) {
  const text = <Name extends string>(name: Name, maxLength = maxSearchLength) => {
    const found = textOf(raw[name]).slice(0, maxLength).trim();
    return field(name, found === '' ? undefined : found);
  };
  const oneOf = <Name extends string, Value extends string>(name: Name, known: readonly Value[]) =>
    field(
      name,
      known.find((one) => one === textOf(raw[name])),
    );
  const page = Number(textOf(raw['page']));
  return {
    ...oneOf('tab', adminTabs),
    // the server whose page is open
    ...text('id'),
    ...oneOf('part', [...serverParts, ...personParts]),
    // the user whose details are open, or whose page if there is a `part`
    ...text('user'),
    // the plan or credit package whose page is open
    ...text('offer'),
    ...oneOf('add', ['plan', 'package']),
    // the address to allow
    ...text('allow', longestAllowListEntry),
    ...text('q'),
    ...oneOf('type', ['http', 'websocket', 'stdio']),
    ...oneOf('status', ['active', 'inactive', 'deleted']),
    // manifests: only those whose server does not answer
    ...oneOf('health', ['failing']),
    ...oneOf('sort', manifestSorts),
    ...field('page', Number.isInteger(page) && page > 1 && page <= maxPage ? page : undefined),
    // users: the beginning of an e-mail address or name, searched among all of them
    ...text('all'),
    ...oneOf('role', ['user', 'admin']),
    ...oneOf('active', ['true', 'false']),
    ...text('plan'),
    // audit log: the actor, the group of actions, and the beginning of the object's id
    ...text('who'),
    ...text('group'),
    ...text('object'),
    // audit log: the page before or after a cursor
    ...text('cursor'),
    ...oneOf('side', ['newer']),
    // the two versions to compare, or the first and the last day
    ...text('from'),
    ...text('to'),
    // the import, which replaces the list of manifests
    ...oneOf('import', importParts),
    // the open registry, and its filters
    ...text('registry'),
    ...oneOf('kind', serverKinds),
    ...oneOf('only', ['importable', 'all']),
    // changed in the last N days
    ...oneOf('since', ['7', '30']),
    // the server in the preview: its name in the registry, a space and its version
    ...text('pick', maxPickLength),
    // lists of a user's page: the cursor of the page; none is the newest page
    ...text('after'),
    // a user's ledger: without calls
    ...oneOf('show', ['changes']),
    // a user's payments: one payment with its refunds
    ...text('payment'),
    // a user's calls; `from` and `to` are UTC days here
    ...text('service'),
    ...oneOf('outcome', callOutcomes),
  };
}

/** Returns the part of a user's page that the address opens; undefined if it opens none. */
export const personPartOf = ({ tab, user, part }: AdminSearch): PersonPart | undefined =>
  tab === 'users' && user !== undefined ? personParts.find((one) => one === part) : undefined;

/** Values of an address are text (parse-search.ts), but our own links may pass a page as a number. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

function field<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [key in Name]?: Value | undefined } {
  // the cast is needed because a computed name loses its literal type
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value | undefined };
}
