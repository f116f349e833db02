import { startConnectionTest } from '@souk/contract/admin/servers.ts';
import type { PersonStreams } from '#platform/http/answers/person-streams.ts';
import type { Router } from '#platform/http/router.ts';
import type { ConnectionTests } from './create-connection-tests.ts';

/** A step may take longer than proxies wait for a word. */
const keepAliveMs = 15_000;

/** POST /admin/connection-tests: only the token says whose test it is. */
export function mountConnectionTests(
  router: Router,
  { tests, streams }: { tests: Pick<ConnectionTests, 'start'>; streams: PersonStreams },
): void {
  router.route(startConnectionTest, async ({ caller, body, reply }) => {
    const test = await tests.start({ ...body, userId: caller.userId });
    const stream = streams.open(reply, caller);
    const comments = setInterval(stream.keepAlive, keepAliveMs).unref();
    // a client that goes away cancels, as does the end of its token; after the end this does nothing
    stream.onClose(test.cancel);
    await test.run(stream.tell);
    clearInterval(comments);
    stream.end();
    return '';
  });
}
