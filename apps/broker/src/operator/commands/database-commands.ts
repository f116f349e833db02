import { z } from 'zod';
import { rotateMasterKey } from '#platform/crypto/rotate-master-key.ts';
import type { KeyRing } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';

const copySchema = z.strictObject({ folder: z.string() });
const rotateSchema = z.strictObject({ nextId: z.string().max(40), operator: z.string().max(200) });

/** Commands on the embedded database, which only the broker that has opened it can run. */
export function databaseCommands({ db, vault }: { db: Database; vault: KeyRing }): OperatorCommands {
  return {
    /** A backup reads a copy, so that it does not occupy the database's only connection. */
    async 'database.copy'(args) {
      const { folder } = copySchema.parse(args);
      if (!db.copyTo) throw new SoukError('invalid_request', { message: 'This broker uses PostgreSQL.' });
      await db.copyTo(folder);
    },
    /** Rotates the master key. Only the id of the new key is sent, since the broker has the key. */
    async 'key.rotate'(args) {
      const { nextId, operator } = rotateSchema.parse(args);
      if (!vault.ids.includes(nextId))
        throw new SoukError('invalid_request', {
          message: `it does not have the key with the id ${nextId}: set MASTER_KEY_NEXT_FILE to its file, restart Souk, then run the command again.`,
        });
      const [formerId] = vault.ids;
      if (formerId === undefined || formerId === nextId)
        throw new SoukError('invalid_request', { message: 'that key is already the MASTER_KEY.' });
      return rotateMasterKey({ db, keys: vault, formerId, nextId, operator, onProgress: () => {} });
    },
  };
}
