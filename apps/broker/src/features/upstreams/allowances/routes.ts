import {
  addAllowedAddress,
  addAllowedPackage,
  previewAllowedPackage,
  removeAllowedPackage,
  listAllowances as listEndpoint,
  removeAllowedAddress,
} from '@souk/contract/admin/allowances.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Router } from '#platform/http/router.ts';
import type { AllowanceList } from '@souk/contract/admin/allowances.ts';
import type { Allowances } from './create-allowances.ts';

/** Packages listed in a preview (contract). */
const shownPackages = 200;

/** Mounts the administrators' calls on allowances. Each change requires a recent sign-in. */
export function mountAllowances(
  router: Router,
  parts: {
    allowances: Allowances;
    allowList(): Promise<Omit<AllowanceList, 'success'>>;
    requireRecentSignIn(caller: Caller): void;
  },
): void {
  const { allowances, allowList, requireRecentSignIn } = parts;
  const listed = async () => ({ success: true as const, ...(await allowList()) });

  router.route(listEndpoint, listed);

  router.route(addAllowedAddress, async ({ caller, body }) => {
    requireRecentSignIn(caller);
    await allowances.addAddress(body, { actorId: caller.userId });
    return listed();
  });

  router.route(removeAllowedAddress, async ({ caller, body: { entry } }) => {
    requireRecentSignIn(caller);
    await allowances.removeAddress(entry, { actorId: caller.userId });
    return listed();
  });

  router.route(previewAllowedPackage, async ({ body }) => {
    const { integrity, comesWith, code } = await allowances.previewPackage(body);
    const shown = comesWith.slice(0, shownPackages);
    return { success: true as const, integrity, comesWith: shown, count: comesWith.length, code };
  });

  router.route(addAllowedPackage, async ({ caller, body: { form, code } }) => {
    requireRecentSignIn(caller);
    await allowances.addPackage(form, code, { actorId: caller.userId });
    return listed();
  });

  router.route(removeAllowedPackage, async ({ caller, body: { alias } }) => {
    requireRecentSignIn(caller);
    await allowances.removePackage(alias, { actorId: caller.userId });
    return listed();
  });
}
