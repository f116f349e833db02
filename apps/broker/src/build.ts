// `npm run build`: makes ahead what a start would make itself, so that the product can then run from a folder that it cannot
// write to, and without the packages for development.
import { defaultCacheDir, ensureStartImage } from '#platform/db/embedded/start-image.ts';
import { buildWeb } from './web-app/build-web.ts';
import { limitMemory } from './limit-memory.ts';
import { migrations } from './migrations.ts';

limitMemory({ databaseUrl: undefined });
for (const folder of [await buildWeb(), await ensureStartImage(defaultCacheDir, migrations)]) console.log(folder);
