import type { Catalogue } from '#features/catalogue/index.ts';
import { programPlaceOf } from './secret-place.ts';
import type { ServerSecrets } from './server-secrets.ts';

/** Answers whether every deployed server that starts a program has its secret by an entry of its own; false where none starts it. */
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
