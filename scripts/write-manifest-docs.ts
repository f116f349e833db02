// npm run manifest-docs: writes docs/manifests.md from the schema of manifests. A test fails while the file is outdated.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestDocs } from '../apps/broker/src/operator/manifest-docs/manifest-docs.ts';

writeFileSync(join(import.meta.dirname, '../docs/manifests.md'), manifestDocs());
