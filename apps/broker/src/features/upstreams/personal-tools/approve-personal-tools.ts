import { requireShown, shownCode, type Catalogue, type ListToApprove } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { PersonalToolStore } from './personal-tool-store.ts';

type Parts = { store: PersonalToolStore; catalogue: Pick<Catalogue, 'snapshot' | 'approveList'> };
/** Owner of the account, with the name that the operator gave. */
type Of = { userId: string; name: string };

type Definition = Record<string, unknown>;
/** A change that an approval would make to the shop. */
export type ListChange = {
  kind: 'tool' | 'prompt' | 'resource' | 'template';
  name: string;
  before: Definition | null;
  after: Definition | null;
};

/**
 * Sets one user's list of a server as the list that the shop shows. Only an administrator can do so, usually for their
 * own account.
 * @param decision.shown the code of the list, as `comparePersonalTools` returned it
 * @returns the names of the tools that the shop shows now
 * @throws SoukError not_found when nothing was discovered with this user's account, changed_since_shown
 */
export async function approvePersonalTools(
  serverId: string,
  of: Of,
  { shown, ...decision }: { by: string | undefined; reason: string; shown: string },
  parts: Parts,
): Promise<string[]> {
  const list = await listOf(serverId, of, parts);
  const what = `What ${serverId} offers to ${of.name}`;
  requireShown(shown, codeOf(list), what, `manifest diff ${serverId} --from ${of.name}`);
  await parts.catalogue.approveList(serverId, list, { ...decision, source: `account of ${of.name}` });
  return list.items.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : []));
}

/**
 * Returns what the approval of a user's list would change in the shop, and the code of the list.
 * @throws SoukError not_found when nothing was discovered with this user's account
 */
export async function comparePersonalTools(
  serverId: string,
  of: Of,
  parts: Parts,
): Promise<{ code: string; changes: ListChange[] }> {
  const list = await listOf(serverId, of, parts);
  const server = parts.catalogue.snapshot().byId.get(serverId);
  const ofShop = (
    kind: ListChange['kind'],
    items: readonly { name: string; sha256: string; definition: Definition }[],
  ) => items.map(({ name, sha256, definition }) => ({ kind, name, sha256, body: definition }));
  const before = [
    ...ofShop('tool', server?.tools ?? []),
    ...ofShop('prompt', server?.prompts ?? []),
    ...ofShop('resource', server?.resources ?? []),
    ...ofShop('template', server?.templates ?? []),
  ];
  const keyOf = ({ kind, name }: { kind: string; name: string }) => `${kind} ${name}`;
  const shown = new Map(before.map((item) => [keyOf(item), item]));
  const kept = new Set(list.items.map(keyOf));
  const changes: ListChange[] = [
    ...list.items.flatMap((item) => {
      const old = shown.get(keyOf(item));
      const { kind, name } = item;
      return old?.sha256 === item.sha256 ? [] : [{ kind, name, before: old?.body ?? null, after: item.body }];
    }),
    ...before.flatMap(({ body, kind, name }) =>
      kept.has(`${kind} ${name}`) ? [] : [{ kind, name, before: body, after: null }],
    ),
  ];
  return { code: codeOf(list), changes };
}

const codeOf = ({ version, items }: ListToApprove) =>
  shownCode([version, ...items.map(({ kind, name, sha256 }) => `${kind} ${name} ${sha256}`)]);

async function listOf(serverId: string, of: Of, { store }: Parts): Promise<ListToApprove> {
  const list = await store.list(of.userId, serverId);
  if (list) return list;
  throw new SoukError('not_found', {
    message: `No list of ${serverId} was read with the account of ${of.name}. Sign in to it with this account first.`,
  });
}
