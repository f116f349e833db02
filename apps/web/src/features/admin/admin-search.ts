/** The specification's two tabs (part 2, section 2), the default first. */
export const adminTabs = ['manifests', 'users'] as const;
export type AdminTab = (typeof adminTabs)[number];

/** The parts of a server's page, the first one is shown where the address names none. */
export const serverParts = ['overview', 'manifest', 'changes', 'tools', 'test', 'money'] as const;
export type ServerPart = (typeof serverParts)[number];

const types = ['http', 'websocket', 'stdio'] as const;
const statuses = ['active', 'inactive'] as const;
export const maxSearchLength = 200;
const maxPage = 1_000_000;

/**
 * What stands in the address of the administrator area, so that every view can be sent to a colleague and Back works. An
 * absent field filters nothing; no page is the first.
 */
export type AdminSearch = {
  tab?: AdminTab | undefined;
  /** The id of the server whose page is open. */
  id?: string | undefined;
  part?: ServerPart | undefined;
  /** The id of the user whose details are open. */
  user?: string | undefined;
  q?: string | undefined;
  type?: (typeof types)[number] | undefined;
  status?: (typeof statuses)[number] | undefined;
  page?: number | undefined;
  /** The broker lists everyone whose address or name begins with it. */
  all?: string | undefined;
  role?: 'user' | 'admin' | undefined;
  active?: 'true' | 'false' | undefined;
  plan?: string | undefined;
  /** Two versions that are compared. */
  from?: string | undefined;
  to?: string | undefined;
};

/** Reads the address and drops unknown values. */
export function parseAdminSearch(raw: Record<string, unknown>): AdminSearch {
  const page = Number(textOf(raw['page']));
  return {
    ...oneOf('tab', raw['tab'], adminTabs),
    ...text('id', raw['id']),
    ...oneOf('part', raw['part'], serverParts),
    ...text('user', raw['user']),
    ...text('q', raw['q']),
    ...oneOf('type', raw['type'], types),
    ...oneOf('status', raw['status'], statuses),
    ...(Number.isInteger(page) && page > 1 && page <= maxPage && { page }),
    ...text('all', raw['all']),
    ...oneOf('role', raw['role'], ['user', 'admin'] as const),
    ...oneOf('active', raw['active'], ['true', 'false'] as const),
    ...text('plan', raw['plan']),
    ...text('from', raw['from']),
    ...text('to', raw['to']),
  };
}

/** Routers read ?q=a&q=b as a list: the first counts. */
function textOf(value: unknown): string {
  const [first] = [value].flat();
  return typeof first === 'string' || typeof first === 'number' ? String(first).trim() : '';
}

function text<Name extends string>(name: Name, value: unknown): { [key in Name]?: string } {
  const found = textOf(value).slice(0, maxSearchLength).trim();
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
