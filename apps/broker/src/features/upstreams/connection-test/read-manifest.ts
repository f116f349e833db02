import type { Manifest } from '@souk/contract/manifest.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { checkAllowed, parseManifest, type ManifestPolicy } from '#features/catalogue/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorSecrets } from '../sign-in/operator-secrets.ts';
import { failureText } from './test-failure.ts';

/** What is tested: a stored version, or the text of a manifest that is stored nowhere. */
export type Tested = { stored: Manifest } | { text: string | Uint8Array };

/**
 * The first step: the manifest with the refusals of a deployment, and the secrets that it names.
 * @returns the manifest, where it can be read, and why this installation cannot use it
 */
export function readManifest(
  tested: Tested,
  { policy, secrets }: { policy: ManifestPolicy; secrets: Pick<OperatorSecrets, 'header'> },
): { manifest: Manifest | undefined; refused: string | undefined } {
  let manifest = 'stored' in tested ? tested.stored : undefined;
  try {
    if ('text' in tested) manifest = parseManifest(tested.text, policy);
    else checkAllowed(tested.stored, policy);
    if (manifest) checkSecrets(manifest, secrets);
    return { manifest, refused: undefined };
  } catch (error) {
    if (error instanceof SoukError) return { manifest, refused: error.message };
    if (error instanceof UpstreamError) return { manifest, refused: failureText(error) };
    throw error;
  }
}

/** @throws UpstreamError not_set_up where the operator has not set one */
function checkSecrets({ id, auth }: Manifest, secrets: Pick<OperatorSecrets, 'header'>): void {
  if (auth.type !== 'headers') return;
  for (const { name, from } of auth.headers) if (from === 'operator') secrets.header(id, name);
}
