// A collector of OpenTelemetry that takes what it is sent and keeps nothing of it: what a broker pays for telling it is measured,
// and nothing of what a real collector does with it.
import { servePart } from '../serve-part.ts';
import { serveHttp } from './listen.ts';

await servePart(() =>
  serveHttp((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  }),
);
