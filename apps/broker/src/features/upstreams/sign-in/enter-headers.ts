import type { CatalogueServer } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import { enteredHeaders, headersBoundTo } from './credentials.ts';
import type { SignInParts } from './sign-in-parts.ts';

/**
 * Stores headers that a user entered. Headers that are left out keep their value.
 * @param entered header name -> value, checked by the contract
 * @throws SoukError invalid_request for a header that the manifest does not ask the user for
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
  const headers = { ...enteredHeaders(server, await parts.store.find(userId, server.id)) };
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
