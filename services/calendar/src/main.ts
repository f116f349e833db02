import { randomUUID } from 'node:crypto';
import { systemClock } from '@souk/service-kit/clock.ts';
import { openDatabase } from '@souk/service-kit/database.ts';
import { serveMcpWebSocket } from '@souk/service-kit/mcp-web-socket.ts';
import { createSlowCalls } from '@souk/service-kit/slow-calls.ts';
import { startService } from '@souk/service-kit/start-service.ts';
import { calendarServers } from './create-server.ts';
import type { CalendarParts } from './parts.ts';
import { createEvents, eventMigrations } from './events.ts';

const maxSlowCallsPerUser = 2;

await startService({
  scheme: 'ws',
  attach(server, { dataDir, secret }) {
    const database = openDatabase(dataDir, 'calendar', eventMigrations);
    const parts: CalendarParts = {
      events: createEvents(database),
      slowCalls: createSlowCalls(maxSlowCallsPerUser),
      clock: systemClock,
      newId: randomUUID,
    };
    const endpoint = serveMcpWebSocket(server, {
      path: '/mcp',
      secret,
      createServer: calendarServers(parts),
    });
    return {
      close() {
        endpoint.close();
        database.close();
      },
    };
  },
});
