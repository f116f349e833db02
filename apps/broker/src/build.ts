// `npm run build`: makes what the first start would make, so that the broker can run from a read-only folder and without
// development dependencies.
import { defaultCacheDir, ensureStartImage } from '#platform/db/embedded/start-image.ts';
import { buildWeb } from './web-app/build-web.ts';
import { limitMemory } from './limit-memory.ts';
import { migrations } from './migrations.ts';

limitMemory({ databaseUrl: undefined });
for (const folder of [await buildWeb(), await ensureStartImage(defaultCacheDir, migrations)]) console.log(folder);
