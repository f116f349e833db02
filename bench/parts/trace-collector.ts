// An OpenTelemetry collector that discards everything, so that only the broker's cost of sending is measured.
import { servePart } from '../serve-part.ts';
import { serveHttp } from './listen.ts';

await servePart(() =>
  serveHttp((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  }),
);
