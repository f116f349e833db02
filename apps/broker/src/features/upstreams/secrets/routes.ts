import { listServerSecrets, removeServerSecret, setServerSecret } from '@souk/contract/admin/secrets.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Router } from '#platform/http/router.ts';
import type { SecretAdministration } from './administer-secrets.ts';

/** Mounts the administrators' calls on the secrets of servers. Each change requires a recent sign-in. */
export function mountServerSecrets(
  router: Router,
  parts: { administration: SecretAdministration; requireRecentSignIn(caller: Caller): void },
): void {
  const { administration, requireRecentSignIn } = parts;
  const listed = async (id: string) => ({ success: true as const, ...(await administration.list(id)) });

  router.route(listServerSecrets, async ({ params }) => listed(params.id));

  router.route(setServerSecret, async ({ caller, params, body: { value, ...named } }) => {
    requireRecentSignIn(caller);
    await administration.set(params.id, named, value, { actorId: caller.userId });
    return listed(params.id);
  });

  router.route(removeServerSecret, async ({ caller, params, body }) => {
    requireRecentSignIn(caller);
    await administration.remove(params.id, body, { actorId: caller.userId });
    return listed(params.id);
  });
}
