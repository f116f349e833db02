import { expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { migrations } from '../../../../migrations.ts';
import { storeEvent, claimEvent } from './event-store.ts';

const at = new Date('2026-11-21T10:00:00Z');
const later = new Date('2026-11-21T10:02:00Z');

describeOnDatabases('due events', migrations, (open) => {
  test('are taken one at a time, whichever query plan the database chooses', async () => {
    const db = await open();
    await db.transaction(async (query) => {
      for (const way of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material'])
        await query(`set local enable_${way} = off`);
      const ids = ['evt_1', 'evt_2', 'evt_3'];
      for (const id of ids) await storeEvent(query, { id, type: 'invoice.paid', objectId: `in_${id}` }, at);
      const taken: (string | undefined)[] = [];
      for (const _ of ids) taken.push((await claimEvent(query, at, later))?.id);
      expect(taken.toSorted()).toEqual(ids);
      expect(await claimEvent(query, at, later)).toBeUndefined();
    });
  });
});
