import { startConnectionTest } from '@souk/contract/admin/servers.ts';
import type { PersonStreams } from '#platform/http/answers/person-streams.ts';
import type { Router } from '#platform/http/router.ts';
import type { ConnectionTests } from './create-connection-tests.ts';

/** Interval of keep-alive comments: a step may take longer than proxies keep an idle connection. */
const keepAliveMs = 15_000;

/** POST /admin/connection-tests. The token alone decides whose test it is. */
export function mountConnectionTests(
  router: Router,
  { tests, streams }: { tests: Pick<ConnectionTests, 'start'>; streams: PersonStreams },
): void {
  router.route(startConnectionTest, async ({ caller, body, reply }) => {
    const test = await tests.start({ ...body, userId: caller.userId });
    const stream = streams.open(reply, caller);
    const comments = setInterval(stream.keepAlive, keepAliveMs).unref();
    // a disconnect or the end of the token cancels the test; after the end this does nothing
    stream.onClose(test.cancel);
    await test.run(stream.tell);
    clearInterval(comments);
    stream.end();
    return '';
  });
}
