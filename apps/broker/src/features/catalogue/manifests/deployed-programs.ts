import type { Query } from '#platform/db/database.ts';

/**
 * A deployed server that is a program. `alias`: the program's alias in its manifest; `entered`: names of the secrets
 * entered for it.
 */
export type DeployedProgram = { id: string; alias: string; entered: string[] };

/** Reads the deployed programs from the database, for a check without a broker. */
export async function readDeployedPrograms(query: Query): Promise<Omit<DeployedProgram, 'entered'>[]> {
  const { rows } = await query<Omit<DeployedProgram, 'entered'>>(
    `select server_id as id, connection ->> 'command' as alias from manifest_versions
     where status = 'deployed' and connection ->> 'type' = 'stdio' order by server_id`,
  );
  return rows;
}
