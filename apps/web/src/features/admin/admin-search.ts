import { manifestSorts, type ManifestSort } from '@souk/contract/admin/manifests.ts';
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

const types = ['http', 'websocket', 'stdio'] as const;
const statuses = ['active', 'inactive', 'deleted'] as const;
export const maxSearchLength = 200;
/** A name of 200 and a version of 255. */
const maxPickLength = 456;
const longestAllowListEntry = 300;
const maxPage = 1_000_000;

/**
 * What stands in the address of the administrator area, so that every view can be sent to a colleague and Back works. An
 * absent field filters nothing; no page is the first.
 */
export type AdminSearch = {
  tab?: AdminTab | undefined;
  /** The id of the server whose page is open. */
  id?: string | undefined;
  part?: ServerPart | PersonPart | undefined;
  /** The id of the user whose details are open, or whose page with `part`. */
  user?: string | undefined;
  /** The id of the plan or credit package whose page is open. */
  offer?: string | undefined;
  /** What is being added. */
  add?: 'plan' | 'package' | undefined;
  /** The address that is being allowed. */
  allow?: string | undefined;
  q?: string | undefined;
  type?: (typeof types)[number] | undefined;
  status?: (typeof statuses)[number] | undefined;
  /** Of the manifests: those whose server does not answer. */
  health?: 'failing' | undefined;
  sort?: ManifestSort | undefined;
  page?: number | undefined;
  /** The broker lists everyone whose address or name begins with it. */
  all?: string | undefined;
  role?: 'user' | 'admin' | undefined;
  active?: 'true' | 'false' | undefined;
  plan?: string | undefined;
  /** Of the audit log: who acted, the group of actions, and the beginning of what it happened to. */
  who?: string | undefined;
  group?: string | undefined;
  object?: string | undefined;
  /** A page beside another: its cursor, and on which side of it. */
  cursor?: string | undefined;
  side?: 'newer' | undefined;
  /** Two versions that are compared, or two days. */
  from?: string | undefined;
  to?: string | undefined;
  /** The import is open, in the place of the list of manifests. */
  import?: ImportPart | undefined;
  /** The id of the registry that is open, and what of it is listed. */
  registry?: string | undefined;
  kind?: (typeof serverKinds)[number] | undefined;
  only?: 'importable' | 'all' | undefined;
  /** Changed in so many days. */
  since?: '7' | '30' | undefined;
  /** The server of a registry whose preview is open: its name, a space and its version. */
  pick?: string | undefined;
  /** Of a list on a person's page: after which row it begins; none is the newest. */
  after?: string | undefined;
  /** Of their ledger: everything but what calls cost. */
  show?: 'changes' | undefined;
  /** Of their payments: one, with its refunds. */
  payment?: string | undefined;
  /** Of their calls, with the days above, which are those of UTC here. */
  service?: string | undefined;
  outcome?: (typeof callOutcomes)[number] | undefined;
};

/** Which part of a person's page the address opens; undefined: none of it. */
export const personPartOf = ({ tab, user, part }: AdminSearch): PersonPart | undefined =>
  tab === 'users' && user !== undefined ? personParts.find((one) => one === part) : undefined;

/** Reads the address and drops unknown values. */
export function parseAdminSearch(raw: Record<string, unknown>): AdminSearch {
  const page = Number(textOf(raw['page']));
  return {
    ...oneOf('tab', raw['tab'], adminTabs),
    ...text('id', raw['id']),
    ...oneOf('part', raw['part'], [...serverParts, ...personParts]),
    ...text('user', raw['user']),
    ...text('offer', raw['offer']),
    ...oneOf('add', raw['add'], ['plan', 'package'] as const),
    ...text('allow', raw['allow'], longestAllowListEntry),
    ...text('q', raw['q']),
    ...oneOf('type', raw['type'], types),
    ...oneOf('status', raw['status'], statuses),
    ...oneOf('health', raw['health'], ['failing'] as const),
    ...oneOf('sort', raw['sort'], manifestSorts),
    ...(Number.isInteger(page) && page > 1 && page <= maxPage && { page }),
    ...text('all', raw['all']),
    ...oneOf('role', raw['role'], ['user', 'admin'] as const),
    ...oneOf('active', raw['active'], ['true', 'false'] as const),
    ...text('plan', raw['plan']),
    ...text('who', raw['who']),
    ...text('group', raw['group']),
    ...text('object', raw['object']),
    ...text('cursor', raw['cursor']),
    ...oneOf('side', raw['side'], ['newer'] as const),
    ...text('from', raw['from']),
    ...text('to', raw['to']),
    ...oneOf('import', raw['import'], importParts),
    ...text('registry', raw['registry']),
    ...oneOf('kind', raw['kind'], serverKinds),
    ...oneOf('only', raw['only'], ['importable', 'all'] as const),
    ...oneOf('since', raw['since'], ['7', '30'] as const),
    ...text('pick', raw['pick'], maxPickLength),
    ...text('after', raw['after']),
    ...oneOf('show', raw['show'], ['changes'] as const),
    ...text('payment', raw['payment']),
    ...text('service', raw['service']),
    ...oneOf('outcome', raw['outcome'], callOutcomes),
  };
}

/** A value of an address is text (parse-search.ts); a link of ours may give a page as a number. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

function text<Name extends string>(
  name: Name,
  value: unknown,
  maxLength = maxSearchLength,
): { [key in Name]?: string } {
  const found = textOf(value).slice(0, maxLength).trim();
  // why the cast: a computed name loses its literal type
  return (found === '' ? {} : { [name]: found }) as { [key in Name]?: string };
}

function oneOf<Name extends string, Value extends string>(
  name: Name,
  value: unknown,
  known: readonly Value[],
): { [key in Name]?: Value } {
  const found = known.find((one) => one === textOf(value));
  return (found === undefined ? {} : { [name]: found }) as { [key in Name]?: Value };
}
