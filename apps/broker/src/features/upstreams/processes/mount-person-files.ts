import { listPersonFiles } from '@souk/contract/admin/person.ts';
import type { UserDirectory } from '#features/identity/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { PersonFiles } from './person-files.ts';

/** Administrators see what a person would lose before they erase them. */
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
