import type { CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { headersBoundTo } from './credentials.ts';
import type { SignInParts } from './sign-in-parts.ts';
import { sealedHeadersSchema } from './tokens/tokens.ts';

/**
 * Stores headers that a person supplies. Headers that are left out stay as they are, so that one can be changed alone.
 * @param entered header name -> value, checked by the contract
 * @throws SoukError invalid_request for a header that the manifest does not ask the person for
 */
export async function enterHeaders(
  userId: string,
  server: CatalogueServer,
  entered: Readonly<Record<string, string>>,
  parts: SignInParts,
): Promise<void> {
  const { auth, name } = server.manifest;
  const asked = auth.type === 'headers' ? auth.headers.filter(({ from }) => from === 'user') : [];
  const byName = new Map(asked.map((header) => [header.name.toLowerCase(), header.name]));
  const boundTo = headersBoundTo(server);
  const stored = await parts.store.find(userId, server.id);
  const before =
    stored?.kind === 'headers' && stored.boundTo === boundTo
      ? sealedHeadersSchema.parse(JSON.parse(stored.open() ?? '{}'))
      : {};
  const headers: Record<string, string> = { ...before };
  for (const [given, value] of Object.entries(entered)) {
    const known = byName.get(given.toLowerCase());
    if (known === undefined) {
      throw new SoukError('invalid_request', { message: `${name} does not ask for the header ${given}` });
    }
    headers[known] = value;
  }
  await parts.store.replace(userId, server.id, { kind: 'headers', boundTo, secrets: JSON.stringify(headers) });
  await parts.onChanged(userId, server.id);
}
