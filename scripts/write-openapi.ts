// npm run openapi: writes openapi.json from the contract. A test fails while the file is outdated.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../apps/broker/src/openapi.ts';
import { version } from '../apps/broker/src/version.ts';

writeFileSync(join(import.meta.dirname, '../openapi.json'), `${JSON.stringify(openApiDocument(version), null, 2)}\n`);
