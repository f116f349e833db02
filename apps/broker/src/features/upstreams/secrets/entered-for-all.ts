import type { Catalogue } from '#features/catalogue/index.ts';
import { programPlaceOf } from './secret-place.ts';
import type { ServerSecrets } from './server-secrets.ts';

/** Returns a function that tells whether a secret was entered for every deployed server, and at least one, that starts a program. */
export function enteredForAll({
  catalogue,
  entered,
}: {
  catalogue: Pick<Catalogue, 'snapshot'>;
  entered: Pick<ServerSecrets, 'find'>;
}): (alias: string, name: string) => boolean {
  return (alias, name) => {
    const place = programPlaceOf(alias);
    const ids = catalogue.snapshot().servers.flatMap(({ id, manifest: { connection } }) => {
      return connection.type === 'stdio' && connection.command === alias ? [id] : [];
    });
    const has = (serverId: string) => entered.find({ serverId, kind: 'variable', name, place }) !== undefined;
    return ids.length > 0 && ids.every(has);
  };
}
