import { connectProvider } from '#adapters/stripe/stripe-client.ts';
import { startStripeSandbox } from '#adapters/stripe/stripe-sandbox.ts';
import { createBilling } from '#features/billing/index.ts';
import type { Catalogue, PeopleOfServers } from '#features/catalogue/index.ts';
import type { Identity } from '#features/identity/index.ts';
import type { UsageWriter } from '#features/usage/index.ts';
import type { AppOptions } from '../app-types.ts';
import type { Platform } from './open-platform.ts';

type Parts = {
  options: Pick<AppOptions, 'billing' | 'createStripeSandbox'>;
  identity: Identity;
  catalogue: Catalogue;
  people: PeopleOfServers;
  usage: UsageWriter;
};

/** Builds sales and charges, with the payment provider or its stand-in; with neither if nothing is sold. */
export async function joinBilling(platform: Platform, parts: Parts) {
  const { config, paths, db, keptKey, outbound, clock, ids, log } = platform;
  const { options, identity, catalogue, people, usage } = parts;
  const stripeSandbox =
    config.payments === 'sandbox'
      ? await startStripeSandbox({
          db,
          config,
          webhookKey: await keptKey('stripe-sandbox-webhook'),
          clock,
          log,
          ...(options.createStripeSandbox && { create: options.createStripeSandbox }),
        })
      : undefined;
  const access = config.payments === 'stripe' ? config.stripe : stripeSandbox?.access;
  const provider = access && connectProvider(access, outbound.fetch);
  const billing = await createBilling({
    db,
    usage,
    config,
    provider,
    catalogue,
    offersFile: config.offersFile ?? paths.offers,
    emailOf: async (userId) => (await identity.findUser(userId))?.email,
    emailsOf: people.emailsOf,
    accountSince: async (userId) => (await identity.findUser(userId))?.createdAt,
    addressKey: await keptKey('welcome-credits'),
    uuid: ids.uuid,
    clock,
    log,
  });
  return { billing: { ...billing, ...options.billing }, provider, stripeSandbox };
}
