// npm run config-docs: writes the pages of docs/ that follow from the code, and .env.example. A test fails while one is outdated.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocs } from './config-docs/api-docs.ts';
import { cliDocs } from './config-docs/cli-docs.ts';
import { configDocs } from './config-docs/config-docs.ts';
import { envExample } from './config-docs/env-example.ts';
import { retentionDocs } from './config-docs/retention-docs.ts';

const root = join(import.meta.dirname, '..');
writeFileSync(join(root, 'docs/configuration.md'), configDocs());
writeFileSync(join(root, '.env.example'), envExample());
writeFileSync(join(root, 'docs/retention.md'), retentionDocs());
writeFileSync(join(root, 'docs/cli.md'), await cliDocs());
writeFileSync(join(root, 'docs/api.md'), apiDocs());
