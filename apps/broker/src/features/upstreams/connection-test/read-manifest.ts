import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { checkAllowed, parseManifest } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorSecrets } from '../sign-in/client/operator-secrets.ts';
import { secretPlace } from '../secrets/secret-place.ts';
import type { TestParts } from './test-parts.ts';
import { failureText } from './test-failure.ts';

/** Subject of a test: a stored version, or the text of a manifest that is not stored. */
export type Tested = { stored: Manifest } | { text: string | Uint8Array };

/**
 * Runs the first step: reads the manifest with the checks of a deployment, and checks its secrets.
 * @returns the manifest, if it can be read, and the reason if this installation cannot use it
 */
export async function readManifest(
  tested: Tested,
  parts: Pick<TestParts, 'policy' | 'secrets' | 'catalogue'>,
): Promise<{ manifest: Manifest | undefined; refused: string | undefined }> {
  const { policy, secrets } = parts;
  let manifest = 'stored' in tested ? tested.stored : undefined;
  try {
    if ('text' in tested) manifest = parseManifest(tested.text, policy);
    else checkAllowed(tested.stored, policy);
    if (manifest) checkSecrets(manifest, secrets);
    if (manifest && 'text' in tested) await checkUnboundHeaders(manifest, parts);
    return { manifest, refused: undefined };
  } catch (error) {
    if (error instanceof SoukError) return { manifest, refused: error.message };
    if (error instanceof UpstreamError) return { manifest, refused: failureText(error) };
    throw error;
  }
}

/** @throws UpstreamError not_set_up when a secret is neither set nor entered for this address */
function checkSecrets(manifest: Manifest, secrets: Pick<OperatorSecrets, 'header'>): void {
  const { id, auth } = manifest;
  if (auth.type !== 'headers') return;
  for (const { name, from } of auth.headers) if (from === 'operator') secrets.header({ id, manifest }, name);
}

/**
 * Refuses to send the operator's headers to an address that is not stored, if the server was never deployed: a test of
 * a manifest's text leaves no record of who sent them there.
 * @throws SoukError invalid_request
 */
async function checkUnboundHeaders(
  manifest: Manifest,
  { secrets, catalogue }: Pick<TestParts, 'secrets' | 'catalogue'>,
): Promise<void> {
  const { id } = manifest;
  const [variable] = secrets.unboundOf({ id, manifest });
  if (variable === undefined) return;
  const staged = (await catalogue.versions(id)).find(({ status }) => status === 'staging');
  const stored = staged && (await catalogue.findManifest(id, staged.version));
  if (stored && secretPlace({ manifest: stored }) === secretPlace({ manifest })) return;
  const text = `${variable} is sent only to an address of a version that is stored. Save this one to staging, and test it again.`;
  throw new SoukError('invalid_request', { message: text });
}
