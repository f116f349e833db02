import { expect, test } from 'vitest';
import { acceptHeader, parseAccept } from './parse-accept.ts';

const [both, json, events, neither] = ['both', 'json', 'events', 'neither'] as const;
const names = { both: [true, true], json: [true, false], events: [false, true], neither: [false, false] };

test.each([
  [undefined, both],
  ['', both],
  ['  ', both],
  ['application/json, text/event-stream', both],
  ['text/event-stream,application/json', both],
  ['Application/JSON, TEXT/Event-Stream', both],
  ['application/json;charset=utf-8, text/event-stream; charset="utf-8"', both],
  ['application/json;q=0.9, text/event-stream;q=0.1', both],
  ['*/*', both],
  ['text/html, */*;q=0.8', both],
  ['application/*, text/*', both],
  ['application/json, image/png;title="a, b;q=0", text/event-stream', both],
  ['application/json, image/png;title="a\\"b", text/event-stream', both],
  ['application/json', json],
  ['APPLICATION/JSON', json],
  ['application/json, text/plain, application/x-ndjson', json],
  ['application/json, */*;q=0', json],
  ['*/*, text/event-stream;q=0', json],
  ['application/*', json],
  ['application/json, text/event-stream; q=0.000', json],
  ['application/json, text/event-stream;Q=0', json],
  ['text/event-stream', events],
  ['text/event-stream, application/vnd.of-another+json', events],
  ['text/*', events],
  ['*/*;q=0.5, application/json;q=0', events],
  ['text/html', neither],
  ['application/jsonp, text/event-streams', neither],
  ['application/json;q=0', neither],
  ['*/*;q=0', neither],
  ['text/html;title="application/json, text/event-stream"', neither],
  [',;,"', neither],
] as const)('Accept: %s is %s', (header, wanted) => {
  const { json: takesJson, events: takesEvents } = parseAccept(header);
  expect([takesJson, takesEvents]).toEqual(names[wanted]);
});

test.each([both, json, events, neither])('the header that the SDK gets instead is read as the same: %s', (wanted) => {
  const [takesJson = false, takesEvents = false] = names[wanted];
  const accepted = { json: takesJson, events: takesEvents };
  expect(parseAccept(acceptHeader(accepted))).toEqual(accepted);
});
