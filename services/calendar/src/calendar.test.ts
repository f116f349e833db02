import { WebSocketClientTransport as OldWebSocketTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import {
  connectOver,
  eras,
  modernRevision,
  personHeaders,
  structuredOf,
  textOf,
} from '@souk/service-kit/testing/connect.ts';
import { runService, takingOver, temporaryFolder, type StartedService } from '@souk/service-kit/testing/run-service.ts';
import { handshakeStatus, sendFrame, WebSocketClientTransport } from '@souk/service-kit/testing/web-socket-client.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';

const program = new URL('./main.ts', import.meta.url);
const secret = 'a-secret-of-this-start';
const ics = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'BEGIN:VEVENT',
  'UID:one@elsewhere',
  'DTSTART;TZID=America/New_York:20270315T090000',
  'DURATION:PT1H30M',
  'SUMMARY:Budget\\, second',
  '  round',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:two@elsewhere',
  'DTSTART;VALUE=DATE:20270316',
  'SUMMARY:Whole day',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:three@elsewhere',
  'DTSTART:20270317T090000Z',
  'DTEND:20270317T100000Z',
  'RRULE:FREQ=DAILY',
  'SUMMARY:Daily',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');

describe('calendar', () => {
  const folder = temporaryFolder();
  let service: StartedService;
  const connect = (subject: string, era: (typeof eras)[number]) =>
    connectOver(new WebSocketClientTransport(`${service.url}/mcp`, personHeaders(secret, subject)), era);

  const statusOf = (headers: Record<string, string>, path = '/mcp', protocols = ['mcp']) =>
    handshakeStatus(service.url + path, protocols, headers);

  beforeAll(async () => {
    service = await runService(program, { DATA_DIR: folder.path, SOUK_SERVICE_SECRET: secret });
  });
  afterAll(async () => {
    await service.stop();
    folder[Symbol.dispose]();
  });

  test.each(eras)('an event can be created, listed, moved and deleted over the %s era', async (era) => {
    const client = await connect(`life-${era}`, era);
    expect(client.getNegotiatedProtocolVersion() === modernRevision).toBe(era === 'modern');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).sort()).toEqual([
      'create_event',
      'delete_event',
      'export_ics',
      'find_free_slots',
      'import_ics',
      'list_events',
      'move_event',
    ]);
    expect(tools.every((tool) => tool.outputSchema?.type === 'object' && tool.annotations !== undefined)).toBe(true);

    const timeZone = 'Europe/Berlin';
    const created = await client.callTool({
      name: 'create_event',
      arguments: {
        title: 'Stand-up',
        start: '2027-03-29T10:00',
        end: '2027-03-29T10:30',
        timeZone,
        location: 'Room 1',
      },
    });
    expect(created.structuredContent).toMatchObject({
      event: { start: '2027-03-29T10:00:00+02:00', end: '2027-03-29T10:30:00+02:00' },
      conflicts: [],
    });
    const { id } = z.object({ id: z.string() }).parse(structuredOf(created)['event']);
    const clash = await client.callTool({
      name: 'create_event',
      arguments: { title: 'Call', start: '2027-03-29T08:15:00Z', end: '2027-03-29T09:00:00Z' },
    });
    expect(clash.structuredContent).toMatchObject({ conflicts: [{ id }] });

    const slots = await client.callTool({
      name: 'find_free_slots',
      arguments: { from: '2027-03-29T00:00', to: '2027-03-30T00:00', durationMinutes: 60, timeZone },
    });
    expect(slots.structuredContent).toEqual({
      slots: [
        { start: '2027-03-29T09:00:00+02:00', end: '2027-03-29T10:00:00+02:00', minutes: 60 },
        { start: '2027-03-29T11:00:00+02:00', end: '2027-03-29T17:00:00+02:00', minutes: 360 },
      ],
    });

    // On the day before, the clocks in Berlin went forward: the same clock time is another instant.
    const moved = await client.callTool({ name: 'move_event', arguments: { id, start: '2027-03-27T10:00' } });
    expect(moved.structuredContent).toMatchObject({ event: { start: '2027-03-27T10:00:00+01:00' }, conflicts: [] });
    const week = { from: '2027-03-26T00:00', to: '2027-04-01T00:00' };
    const listed = await client.callTool({ name: 'list_events', arguments: week });
    expect(listed.structuredContent).toMatchObject({ events: [{ title: 'Stand-up' }, { title: 'Call' }], more: false });

    const gone = await client.callTool({ name: 'delete_event', arguments: { id } });
    expect(gone.structuredContent).toEqual({ deleted: true });
    const again = await client.callTool({ name: 'move_event', arguments: { id, start: '2027-03-27T10:00' } });
    expect(again.isError).toBe(true);

    const prompt = await client.getPrompt({ name: 'weekly_review', arguments: { timeZone } });
    expect(prompt.messages[0]?.content).toMatchObject({ text: expect.stringContaining('Europe/Berlin') });
    const [today] = (await client.readResource({ uri: 'calendar://today' })).contents;
    expect(JSON.parse(today && 'text' in today ? today.text : '{}')).toMatchObject({ events: [] });
    await client.close();
  });

  // concurrently, as different users, because most of it is waiting
  test.concurrent('an import reports progress for over 5 s, and an export can be read back', async () => {
    const client = await connect('importer', 'modern');
    const seen: number[] = [];
    const imported = await takingOver(5_000, () =>
      client.callTool(
        { name: 'import_ics', arguments: { ics } },
        { onprogress: ({ progress }) => seen.push(progress) },
      ),
    );
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(imported.structuredContent).toEqual({
      added: 2,
      replaced: 0,
      skipped: [{ title: 'Daily', reason: 'it repeats' }],
    });
    const exported = await client.callTool({ name: 'export_ics', arguments: {} });
    const text = z.string().parse(structuredOf(exported)['ics']);
    expect(text).toContain('DTSTART;TZID=America/New_York:20270315T090000\r\n');
    expect(text).toContain('SUMMARY:Budget\\, second round\r\n');
    expect(text).toContain('BEGIN:VTIMEZONE\r\nTZID:America/New_York\r\n');
    await client.close();

    const old = await connect('importer', 'legacy');
    const again = await old.callTool({ name: 'import_ics', arguments: { ics: text } });
    expect(again.structuredContent).toEqual({ added: 0, replaced: 2, skipped: [] });
    await old.close();
  });

  test.concurrent.each(eras)('a canceled import writes nothing and frees its slot (%s)', async (era) => {
    const client = await connect(`canceller-${era}`, era);
    const call = { name: 'import_ics', arguments: { ics } };
    for (let attempt = 0; attempt < 4; attempt += 1) {
      // Two may run concurrently: the third and fourth are served only because the earlier ones ended.
      const abort = new AbortController();
      const cancelled = client.callTool(call, { signal: abort.signal, onprogress: () => abort.abort('enough') });
      await expect(cancelled).rejects.toThrow('enough');
    }
    const all = { from: '2000-01-01T00:00', to: '2099-01-01T00:00' };
    const listed = await client.callTool({ name: 'list_events', arguments: all });
    expect(listed.structuredContent).toEqual({ events: [], more: false });
    await client.close();
  });

  test("two users do not see each other's events, and events survive a restart", async () => {
    const all = { name: 'list_events', arguments: { from: '2000-01-01T00:00', to: '2099-01-01T00:00' } };
    const ana = await connect('ana', 'legacy');
    await ana.callTool({
      name: 'create_event',
      arguments: { title: 'Private', start: '2027-01-01T10:00', end: '2027-01-01T11:00' },
    });
    const ben = await connect('ben', 'modern');
    expect((await ben.callTool(all)).structuredContent).toEqual({ events: [], more: false });
    await Promise.all([ana.close(), ben.close()]);

    expect(await service.stop()).toBe(0);
    service = await runService(program, { DATA_DIR: folder.path, SOUK_SERVICE_SECRET: secret });
    const back = await connect('ana', 'modern');
    expect((await back.callTool(all)).structuredContent).toMatchObject({ events: [{ title: 'Private' }] });
    await back.close();
  });

  test('without a user the lists can be read and every tool returns isError', async () => {
    const transport = new WebSocketClientTransport(`${service.url}/mcp`, { 'x-souk-service-secret': secret });
    const client = await connectOver(transport, 'modern');
    expect((await client.listTools()).tools).toHaveLength(7);
    expect((await client.listPrompts()).prompts).toHaveLength(1);
    const result = await client.callTool({ name: 'list_events', arguments: {} });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('list_events requires a signed-in user.');
    await expect(client.readResource({ uri: 'calendar://today' })).rejects.toThrow('requires a signed-in user');
    await client.close();
  });

  test('the handshake requires the secret and the subprotocol, and refuses browsers', async () => {
    const ana = personHeaders(secret, 'ana');
    expect(await statusOf(ana)).toBe(101);
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ ...ana, 'x-souk-service-secret': 'wrong' })).toBe(401);
    expect(await statusOf({ ...ana, origin: 'http://localhost:3000' })).toBe(403);
    expect(await statusOf({ ...ana, host: 'evil.test' })).toBe(403);
    expect(await statusOf(ana, '/other')).toBe(404);
    expect(await statusOf(ana, '/mcp', [])).toBe(400);
  });

  test('a frame that is not a message gets a parse error, and the connection stays open', async () => {
    const broken = await sendFrame(`${service.url}/mcp`, personHeaders(secret, 'ana'), '{');
    expect(JSON.parse(broken.answer)).toMatchObject({ error: { code: -32_700 } });
    expect(broken.open).toBe(true);
  });

  test('in a service that was started manually, the client of the 1.x line acts for the local user', async () => {
    using own = temporaryFolder();
    const byHand = await runService(program, { DATA_DIR: own.path });
    const client = new OldClient({ name: 'service-test-1', version: '1.0.0' });
    await client.connect(new OldWebSocketTransport(new URL(`${byHand.url}/mcp`)));
    const created = await client.callTool({
      name: 'create_event',
      arguments: { title: 'Mine', start: '2027-01-01T10:00', end: '2027-01-01T11:00' },
    });
    expect(created.isError).toBeUndefined();
    await client.close();
    expect(await byHand.stop()).toBe(0);
  });
});
