import type { Query } from '#platform/db/database.ts';

/** A deployed server that is a program, the alias that its manifest names, and the secrets that were entered for it. */
export type DeployedProgram = { id: string; alias: string; entered: string[] };

/** Read from the database itself, for a check beside no broker. */
export async function readDeployedPrograms(query: Query): Promise<Omit<DeployedProgram, 'entered'>[]> {
  const { rows } = await query<Omit<DeployedProgram, 'entered'>>(
    `select server_id as id, connection ->> 'command' as alias from manifest_versions
     where status = 'deployed' and connection ->> 'type' = 'stdio' order by server_id`,
  );
  return rows;
}
