import { randomUUID } from 'node:crypto';
import { systemClock } from '@souk/service-kit/clock.ts';
import { openDatabase } from '@souk/service-kit/database.ts';
import { serveMcpPaths } from '@souk/service-kit/serve-mcp-paths.ts';
import { createSlowCalls } from '@souk/service-kit/slow-calls.ts';
import { startService } from '@souk/service-kit/start-service.ts';
import { travelServers } from './create-server.ts';
import type { TravelParts } from './parts.ts';
import { createItineraries, itineraryMigrations } from './itineraries.ts';

const maxSlowCallsPerUser = 4;

await startService({
  scheme: 'http',
  attach(server, { dataDir, secret }) {
    const database = openDatabase(dataDir, 'travel', itineraryMigrations);
    const parts: TravelParts = {
      itineraries: createItineraries(database),
      slowCalls: createSlowCalls(maxSlowCallsPerUser),
      clock: systemClock,
      newId: randomUUID,
    };
    const endpoint = serveMcpPaths(server, {
      paths: {
        '/mcp': travelServers('travel', parts),
        '/pro/mcp': travelServers('travel-pro', parts),
        '/enterprise/mcp': travelServers('travel-enterprise', parts),
      },
      secret,
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
