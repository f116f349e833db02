import { z } from 'zod';
import { SoukError } from '#platform/errors.ts';
import type { Database } from '#platform/db/database.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';

const argsSchema = z.strictObject({ folder: z.string() });

/** A backup reads a copy, so that the broker goes on meanwhile: the embedded database has one connection. */
export function copyDatabaseCommand({ db }: { db: Pick<Database, 'copyTo'> }): OperatorCommands {
  return {
    async 'database.copy'(args) {
      const { folder } = argsSchema.parse(args);
      if (!db.copyTo) throw new SoukError('invalid_request', { message: 'This broker uses PostgreSQL.' });
      await db.copyTo(folder);
    },
  };
}
