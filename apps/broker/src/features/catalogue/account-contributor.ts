import type { Query } from '#platform/db/database.ts';

/** Tables whose reasons may contain a deleted user's address. */
const tables = ['manifest_versions', 'manifest_runs', 'tool_changes'] as const;

/** Removes a deleted user's address from administrators' reasons. Staged versions keep the user's id. */
export function catalogueContributor({ query }: { query: Query }) {
  return {
    name: 'stagedManifests',
    /** Versions that this user staged as an administrator, newest first. */
    async export(userId: string) {
      const { rows } = await query<{ server_id: string; version: string; created_at: Date; reason: string | null }>(
        `select server_id, version, created_at, reason from manifest_versions
         where created_by = $1 order by created_at desc limit 10000`,
        [userId],
      );
      return rows.map((row) => ({
        serverId: row.server_id,
        version: row.version,
        createdAt: row.created_at,
        reason: row.reason,
      }));
    },
    async erase(_userId: string, tx: Query, address: string): Promise<void> {
      for (const table of tables) {
        await tx(`update ${table} set reason = without_address(reason, $1) where mentions_address(reason, $1)`, [
          address,
        ]);
      }
    },
  };
}
