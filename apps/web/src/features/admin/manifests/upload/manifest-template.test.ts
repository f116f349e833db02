import { completeManifest, manifestSchema } from '@souk/contract/manifest/manifest.ts';
import { expect, test } from 'vitest';
import { manifestFault } from './check-manifest.ts';
import { manifestTemplate } from './manifest-template.ts';

test('the template is a valid manifest', () => {
  expect(manifestFault(manifestTemplate, 'typed')).toBeUndefined();
  expect(manifestSchema.safeParse(completeManifest(JSON.parse(manifestTemplate))).success).toBe(true);
});
