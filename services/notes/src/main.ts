import { randomUUID } from 'node:crypto';
import { systemClock } from '@souk/service-kit/clock.ts';
import { openDatabase } from '@souk/service-kit/database.ts';
import { createSlowCalls } from '@souk/service-kit/slow-calls.ts';
import { startService } from '@souk/service-kit/start-service.ts';
import type { NotesParts } from './parts.ts';
import { createNotes, noteMigrations } from './notes.ts';
import { createAccounts, readOauthKeys } from './oauth/accounts.ts';
import { createOauthRecords, oauthMigrations } from './oauth/records.ts';
import { serveNotes } from './serve-notes.ts';

const maxSlowCallsPerUser = 2;
const cleanUpEveryMs = 3_600_000;

await startService({
  scheme: 'http',
  keepsPort: true,
  attach(server, { dataDir }, origin) {
    const database = openDatabase(dataDir, 'notes', [...noteMigrations, ...oauthMigrations]);
    const records = createOauthRecords(database);
    const cleanUp = () => records.removeExpired(systemClock.now());
    cleanUp();
    setInterval(cleanUp, cleanUpEveryMs).unref();
    const parts: NotesParts = {
      notes: createNotes(database),
      slowCalls: createSlowCalls(maxSlowCallsPerUser),
      clock: systemClock,
      newId: randomUUID,
    };
    const endpoint = serveNotes(server, parts, {
      issuer: origin,
      resource: `${origin}/mcp`,
      records,
      accounts: createAccounts(database),
      keys: readOauthKeys(database),
      clock: systemClock,
    });
    return {
      async close() {
        await endpoint.close();
        database.close();
      },
    };
  },
});
