import { connectOpenId } from '#adapters/openid/openid-sign-in.ts';
import type { Administration, Billing } from '#features/billing/index.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import { createDiagnostics, type Diagnostics } from '#features/diagnostics/index.ts';
import { createIdentity, type Identity } from '#features/identity/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import { recordErasure } from '#platform/backup/erased-list.ts';
import { queueFarewell } from '#platform/notices/outbox.ts';
import type { AppOptions } from '../app-types.ts';
import { readLegalTexts } from '../pages/legal-texts.ts';
import { createRefusedAudit } from '../refusals/refused-audit.ts';
import { servicesOfUser } from './services-of-user.ts';
import type { Platform } from './open-platform.ts';

/** The features that are built after identity. It calls them when requests arrive. */
type Above = {
  catalogue(): Catalogue;
  upstreams(): Upstreams;
  billing(): Billing;
  administration(): Administration;
};

/** Builds identity and diagnostics, which refer to each other. */
export async function joinIdentity(
  platform: Platform,
  replaced: AppOptions['identity'],
  above: Above,
): Promise<{ identity: Identity; diagnostics: Diagnostics }> {
  const { db, config, paths, clock, ids, log, vault, downloads, outbound } = platform;
  const legal = [...readLegalTexts(config, paths.legal).keys()];
  const diagnostics = createDiagnostics({
    db,
    publicUrl: config.publicUrl,
    dispatcher: outbound.dispatcher,
    findTokenOwner: (authorization, resource) => identity.findTokenOwner(authorization, resource),
    namesOfApps: (userId) => identity.namesOfApps(userId),
    recordClientVersion: (grantId, version) => identity.recordClientVersion(grantId, version),
    clock,
    ids,
    log,
  });
  const identity = await createIdentity({
    db,
    downloads,
    config,
    clock,
    ids,
    log,
    vault,
    recordErasure: async (userId) => {
      if (config.backup) await recordErasure(config.backup.dir, userId, new Date(clock.now()));
    },
    queueFarewell: async (query, farewell) => {
      const { kind } = config.mail;
      if (kind !== 'off') await queueFarewell(query, farewell, { at: new Date(clock.now()), isSent: kind === 'smtp' });
    },
    connectUpstream: (settings) => connectOpenId({ fetch: outbound.fetch, ...settings }),
    outgoing: outbound.outgoing,
    hasServer: (serverId) => above.catalogue().snapshot().byId.has(serverId),
    disabledServers: (userId) => above.upstreams().preferences.readDisabled(userId),
    planOf: (userId) => above.billing().access.planOf(userId),
    peoplePlans: () => above.billing().peoplePlans,
    welcomeNewcomer: (...newcomer) => above.billing().welcomeNewcomer(...newcomer),
    beforeSignIn: () => ({ welcomeCredits: above.billing().welcomeCredits, legal }),
    endPaid: (...asked) => above.administration().endPaid(...asked),
    signedInServers: (userIds) => above.upstreams().signIn.signedInServers(userIds),
    services: servicesOfUser({
      snapshot: () => above.catalogue().snapshot(),
      entitlement: (userId) => above.billing().entitlement(userId),
      disabledServers: (userId) => above.upstreams().preferences.disabledServers(userId),
      isAccountMissing: (userId, server) => above.upstreams().signIn.isMissing(userId, server),
    }),
    events: diagnostics.identityEvents,
    recordRefusedAdmin: createRefusedAudit(db, clock),
    ...replaced,
  });
  return { identity, diagnostics };
}
