import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { SoukError } from '#platform/errors.ts';
import { parseManifest, type ManifestPolicy } from './parse-manifest.ts';

/**
 * Reads an administrator's manifest, with the texts of the specification (part 2, section 5).
 * @throws SoukError invalid_request, invalid_json, manifest_invalid, url_not_allowed, command_not_allowed
 */
export function readUpload(bytes: Uint8Array, policy: ManifestPolicy): Manifest {
  if (bytes.length === 0) {
    throw new SoukError('invalid_request', { message: 'Please enter a manifest JSON or upload a file' });
  }
  try {
    return parseManifest(bytes, policy);
  } catch (error) {
    const [issue] = error instanceof SoukError ? (error.issues ?? []) : [];
    if (issue?.path !== '' || !issue.message.startsWith('is not valid JSON')) throw error;
    const message = 'Invalid JSON format. Please check your manifest syntax.';
    throw new SoukError('invalid_json', { message, issues: [issue] });
  }
}
