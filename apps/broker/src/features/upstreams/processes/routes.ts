import { listPersonFiles } from '@souk/contract/admin/person.ts';
import { getServerLog } from '@souk/contract/admin/servers.ts';
import type { Catalogue, ServerManifest } from '#features/catalogue/index.ts';
import type { UserDirectory } from '#features/identity/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import { isProgram } from '../pool/connection-key.ts';
import { isPerUser } from '../pool/upstream-target.ts';
import type { PersonFiles } from './person-files.ts';
import type { StdioPrograms } from './stdio-programs.ts';

/** Mounts the log of a server's programs. It omits processes of single users, whose lines may name them. */
export function mountServerLog(
  router: Router,
  { catalogue, programs }: { catalogue: Catalogue; programs: Pick<StdioPrograms, 'linesOf'> },
): void {
  router.route(getServerLog, async ({ params: { id } }) => {
    const server = catalogue.snapshot().byId.get(id) ?? (await lastVersion(id));
    if (!server) throw new SoukError('not_found', { message: `There is no manifest of ${id}.` });
    const lines = [...programs.linesOf(id, ['shared', 'test'])];
    return { success: true as const, lines, isPerPerson: isProgram(server) && isPerUser(server) };
  });

  async function lastVersion(id: string): Promise<ServerManifest | undefined> {
    const [newest] = await catalogue.versions(id);
    const manifest = newest && (await catalogue.findManifest(id, newest.version));
    return manifest && { id, manifest };
  }
}

/** Mounts the list of a user's program files: administrators see what the user would lose before they erase them. */
export function mountPersonFiles(
  router: Router,
  { files, directory }: { files: Pick<PersonFiles, 'list'>; directory: Pick<UserDirectory, 'find'> },
): void {
  router.route(listPersonFiles, async ({ params }) => {
    const user = await directory.find(params.id);
    if (!user) throw new SoukError('not_found', { message: 'There is no such user' });
    return { success: true as const, files: await files.list(user.id) };
  });
}
