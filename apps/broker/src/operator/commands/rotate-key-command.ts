import { z } from 'zod';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { rotateMasterKey } from '#platform/crypto/rotate-master-key.ts';
import type { KeyRing } from '#platform/crypto/vault.ts';

const argsSchema = z.strictObject({ nextId: z.string().max(40), operator: z.string().max(200) });

/** The rotation of the embedded database's secrets, by the broker that has it open. It is told the id of the key alone. */
export function rotateKeyCommand({ db, vault }: { db: Database; vault: KeyRing }): OperatorCommands {
  return {
    async 'key.rotate'(args) {
      const { nextId, operator } = argsSchema.parse(args);
      if (!vault.ids.includes(nextId))
        throw new SoukError('invalid_request', {
          message: `it does not have the key with the id ${nextId}: set MASTER_KEY_NEXT_FILE to its file, restart Souk, then run the command again.`,
        });
      const [formerId] = vault.ids;
      if (formerId === undefined || formerId === nextId)
        throw new SoukError('invalid_request', { message: 'that key is the MASTER_KEY already.' });
      return rotateMasterKey({ db, keys: vault, formerId, nextId, operator, said: () => {} });
    },
  };
}
