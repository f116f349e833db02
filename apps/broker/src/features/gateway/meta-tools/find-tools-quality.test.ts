import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CatalogueServer, CatalogueSnapshot } from '#features/catalogue/index.ts';
import { limitProcessor } from '#testing/figures/limits.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { searchTools } from './search-tools.ts';

/** Requests of users, and the tool for each. Any of the travel services may offer it. */
const labelled: readonly (readonly [query: string, tool: string])[] = [
  ['put a meeting into my calendar', 'create_event'],
  ['what do I have on this week', 'list_events'],
  ['reschedule an appointment to another time', 'move_event'],
  ['cancel a meeting', 'delete_event'],
  ['when am I free tomorrow for one hour', 'find_free_slots'],
  ['give me my events as an ics file', 'export_ics'],
  ['import an iCalendar file', 'import_ics'],
  ['echo a message back', 'echo'],
  ['add two numbers', 'get-sum'],
  ['show environment variables', 'get-env'],
  ['compress a file with gzip', 'gzip-file-as-resource'],
  ['simulate deep research', 'simulate-research-query'],
  ['run something that takes long', 'trigger-long-running-operation'],
  ['read a text file', 'read_text_file'],
  ['read an image from disk', 'read_media_file'],
  ['read several files at once', 'read_multiple_files'],
  ['write text into a new file', 'write_file'],
  ['change some lines of a file', 'edit_file'],
  ['make a folder', 'create_directory'],
  ['what is in this directory', 'list_directory'],
  ['list a folder with file sizes', 'list_directory_with_sizes'],
  ['show the folder tree', 'directory_tree'],
  ['rename a file', 'move_file'],
  ['find files by pattern', 'search_files'],
  ['when was a file modified', 'get_file_info'],
  ['which directories may I access', 'list_allowed_directories'],
  ['remember a new entity', 'create_entities'],
  ['relate two entities to each other', 'create_relations'],
  ['add an observation to something you know', 'add_observations'],
  ['forget an entity', 'delete_entities'],
  ['show the whole knowledge graph', 'read_graph'],
  ['search your memory', 'search_nodes'],
  ['jot down a note', 'create_note'],
  ['find my notes about a word', 'search_notes'],
  ['change the text of a note', 'update_note'],
  ['remove a note', 'delete_note'],
  ['which tags do my notes have', 'list_tags'],
  ['export all my notes as markdown', 'export_notes'],
  ['think step by step about a problem', 'sequentialthinking'],
  ['airport code of a city', 'find_airports'],
  ['how far is it between two airports', 'distance'],
  ['what time is it at an airport', 'local_times'],
  ['shortest round trip through many airports', 'plan_round_trip'],
  ['save my route', 'save_itinerary'],
  ['show my saved trips', 'list_itineraries'],
  ['which of these routes is shorter', 'compare_routes'],
  ['how do I get over jet lag', 'jet_lag_plan'],
  ['co2 of a flight', 'carbon_estimate'],
  ['when does the sun rise', 'daylight'],
  ['where should our team meet', 'meeting_point'],
];

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ paths: { catalogue: join(import.meta.dirname, '../../../../../../catalogue') } });
  await waitUntil('every bundled server to have listed its tools', () =>
    app.catalogue.snapshot().servers.every((server) => server.tools.length > 0),
  );
});
afterAll(() => app?.stop());

test('the right tool is among the first five for at least 45 of 50 queries, among 500 other tools', () => {
  const snapshot = withOthers(app.catalogue.snapshot(), 500);
  expect(labelled).toHaveLength(50);
  const missed = labelled.flatMap(([query, tool]) => {
    const found = searchTools(snapshot, [], query, 5, () => true).map(({ item }) => item.name);
    return found.includes(tool) ? [] : [`${query}: wanted ${tool}, found ${found.join(', ')}`];
  });
  process.stdout.write(`find_tools: ${labelled.length - missed.length} of ${labelled.length} within the first five\n`);
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(5);
});

test('a search among 1,000 tools takes at most 5 ms', async () => {
  const snapshot = withOthers(app.catalogue.snapshot(), 1000);
  searchTools(snapshot, [], 'warm up', 5, () => true);
  const searchAll = () => {
    for (const [query] of labelled) expect(searchTools(snapshot, [], query, 10, () => true)).not.toHaveLength(0);
  };
  await limitProcessor(5 * labelled.length, searchAll, { what: `${labelled.length} searches` });
});

/** Adds the tools of ten invented trades to the catalogue, each with a verb and a noun in its name and text. */
function withOthers(snapshot: CatalogueSnapshot, count: number): CatalogueSnapshot {
  const [model] = snapshot.servers;
  const [tool] = model?.tools ?? [];
  if (!model || !tool) throw new Error('the catalogue is empty');
  const verbs = ['get', 'list', 'create', 'update', 'delete', 'search', 'send', 'export', 'assign', 'archive'];
  const things = `invoice customer ticket order shipment campaign contact lead contract payment refund coupon warehouse
    product supplier employee payslip vacation candidate interview repository branch pipeline deployment alert dashboard
    metric server database backup certificate domain message channel mailbox playlist album photo recipe workout
    patient prescription lesson student exam vehicle tenant property meter sensor`.split(/\s+/);
  const servers: CatalogueServer[] = Array.from({ length: 10 }, (_, trade) => {
    const id = `trade-${trade}`;
    const tools = Array.from({ length: Math.ceil(count / 10) }, (__, position) => {
      const number = trade * Math.ceil(count / 10) + position;
      const verb = verbs[number % verbs.length] ?? '';
      const thing = things[Math.floor(number / verbs.length) % things.length] ?? '';
      const name = `${verb}_${thing}${number >= verbs.length * things.length ? `_${number}` : ''}`;
      return {
        ...tool,
        serverId: id,
        name,
        exposedName: `${id}__${name}`,
        definition: {
          name,
          description: `${verb[0]?.toUpperCase()}${verb.slice(1)}s a ${thing} of the company account, with its fields and time.`,
          inputSchema: { type: 'object', properties: { id: {}, [`${thing}Name`]: {}, limit: {} } },
        },
      };
    });
    return { ...model, id, slug: id, manifest: { ...model.manifest, id, name: `Trade ${trade}` }, tools };
  });
  return { ...snapshot, servers: [...snapshot.servers, ...servers] };
}
