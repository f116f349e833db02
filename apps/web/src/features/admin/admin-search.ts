import { manifestSorts } from '@souk/contract/admin/manifests.ts';
import { serverKinds } from '@souk/contract/catalogue/registries.ts';

/** The specification's two tabs first (part 2, section 2), the default before all. */
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

/** The parts of a server's page, the first one is shown where the address names none. */
export const serverParts = ['overview', 'manifest', 'changes', 'tools', 'test', 'secrets', 'money'] as const;
export type ServerPart = (typeof serverParts)[number];

/** Where servers are imported from. */
export const importParts = ['text', 'registry', 'updates'] as const;
export type ImportPart = (typeof importParts)[number];

/** The parts of a person's page. An address that names a user and no part opens the details above the list. */
export const personParts = ['profile', 'access', 'credits', 'payments', 'calls', 'apps', 'sign-ins', 'audit'] as const;
export type PersonPart = (typeof personParts)[number];

/** How a call ended, as its filter has it. */
export const callOutcomes = ['ok', 'error', 'failed', 'refused', 'cancelled'] as const;

export const maxSearchLength = 200;
/** A name of 200 and a version of 255. */
const maxPickLength = 456;
const longestAllowListEntry = 300;
const maxPage = 1_000_000;

/**
 * What stands in the address of the administrator area, so that every view can be sent to a colleague and Back works. An
 * absent field filters nothing; no page is the first.
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
    // the id of the server whose page is open
    ...text('id'),
    ...oneOf('part', [...serverParts, ...personParts]),
    // the id of the user whose details are open, or whose page with `part`
    ...text('user'),
    // the id of the plan or credit package whose page is open
    ...text('offer'),
    // what is being added
    ...oneOf('add', ['plan', 'package']),
    // the address that is being allowed
    ...text('allow', longestAllowListEntry),
    ...text('q'),
    ...oneOf('type', ['http', 'websocket', 'stdio']),
    ...oneOf('status', ['active', 'inactive', 'deleted']),
    // of the manifests: those whose server does not answer
    ...oneOf('health', ['failing']),
    ...oneOf('sort', manifestSorts),
    ...field('page', Number.isInteger(page) && page > 1 && page <= maxPage ? page : undefined),
    // the broker lists everyone whose address or name begins with it
    ...text('all'),
    ...oneOf('role', ['user', 'admin']),
    ...oneOf('active', ['true', 'false']),
    ...text('plan'),
    // of the audit log: who acted, the group of actions, and the beginning of what it happened to
    ...text('who'),
    ...text('group'),
    ...text('object'),
    // a page beside another: its cursor, and on which side of it
    ...text('cursor'),
    ...oneOf('side', ['newer']),
    // two versions that are compared, or two days
    ...text('from'),
    ...text('to'),
    // the import is open, in the place of the list of manifests
    ...oneOf('import', importParts),
    // the id of the registry that is open, and what of it is listed
    ...text('registry'),
    ...oneOf('kind', serverKinds),
    ...oneOf('only', ['importable', 'all']),
    // changed in so many days
    ...oneOf('since', ['7', '30']),
    // the server of a registry whose preview is open: its name, a space and its version
    ...text('pick', maxPickLength),
    // of a list on a person's page: after which row it begins; none is the newest
    ...text('after'),
    // of their ledger: everything but what calls cost
    ...oneOf('show', ['changes']),
    // of their payments: one, with its refunds
    ...text('payment'),
    // of their calls, with the days above, which are those of UTC here
    ...text('service'),
    ...oneOf('outcome', callOutcomes),
  };
}

/** Which part of a person's page the address opens; undefined: none of it. */
export const personPartOf = ({ tab, user, part }: AdminSearch): PersonPart | undefined =>
  tab === 'users' && user !== undefined ? personParts.find((one) => one === part) : undefined;

/** A value of an address is text (parse-search.ts); a link of ours may give a page as a number. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

function field<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [key in Name]?: Value | undefined } {
  // why the cast: a computed name loses its literal type
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value | undefined };
}
