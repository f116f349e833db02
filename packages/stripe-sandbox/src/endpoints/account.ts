import { id, listParameters, parameters, webAddress } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { noSuch } from '../api/stripe-error.ts';
import { readAccount } from '../objects/account.ts';
import type { PaymentMethodType } from '../objects/types.ts';
import { demoCountries } from '../money/demo-tax.ts';
import { findCustomer } from './customers.ts';
import { z } from 'zod';

/** The account, its customers' payment methods, and the portal to change them. */
export const accountRoutes = [
  route('GET', 'account', parameters({}), async ({ work }) => (await readAccount(work)).body),
  route('GET', 'tax/settings', parameters({}), async ({ work }) => {
    const isPending = (await readAccount(work)).memory.tax === 'pending';
    return {
      object: 'tax.settings',
      defaults: { provider: 'stripe', tax_behavior: 'inferred_by_currency', tax_code: null },
      head_office: null,
      livemode: false,
      status: isPending ? 'pending' : 'active',
      status_details: isPending ? { pending: { missing_fields: ['head_office'] } } : { active: {} },
    };
  }),
  route(
    'GET',
    'tax/registrations',
    listParameters({ status: z.enum(['active', 'all']).optional() }),
    async ({ work }) => {
      const isRegistered = (await readAccount(work)).memory.tax === undefined;
      const registration = (country: string) => ({
        id: `taxreg_${country}`,
        object: 'tax.registration',
        active_from: 0,
        country,
        country_options: {},
        created: 0,
        expires_at: null,
        livemode: false,
        status: 'active',
      });
      const data = isRegistered ? demoCountries.filter((one) => one !== 'US').map(registration) : [];
      return { object: 'list', data, has_more: false, url: '/v1/tax/registrations' };
    },
  ),
  route('GET', 'payment_method_configurations', listParameters({}), async ({ work }) => {
    const { paymentMethods } = (await readAccount(work)).memory;
    const state = (type: PaymentMethodType) => {
      const value = paymentMethods.includes(type) ? ('on' as const) : ('off' as const);
      return { available: value === 'on', display_preference: { overridable: null, preference: value, value } };
    };
    const configuration = {
      id: 'pmc_sandbox',
      object: 'payment_method_configuration' as const,
      active: true,
      application: null,
      card: state('card'),
      is_default: true,
      livemode: false,
      name: 'Default',
      parent: null,
      sepa_debit: state('sepa_debit'),
    };
    return { object: 'list', data: [configuration], has_more: false, url: '/v1/payment_method_configurations' };
  }),
  route('GET', 'payment_methods/:id', parameters({}), async ({ work, id: method }) => {
    const row = await work.get('payment_method', method);
    if (!row) throw noSuch('PaymentMethod', method);
    return row.body;
  }),
  route(
    'POST',
    'billing_portal/sessions',
    parameters({
      customer: id,
      return_url: webAddress,
      flow_data: z.strictObject({ type: z.literal('payment_method_update') }),
    }),
    async ({ work, given }) => {
      const customer = await findCustomer(work, given.customer, 'customer');
      const session = work.newId('billing_portal.session');
      return work.add(
        'billing_portal.session',
        {
          id: session,
          object: 'billing_portal.session',
          configuration: 'bpc_sandbox',
          created: work.now,
          customer: customer.id,
          customer_account: null,
          flow: {
            after_completion: { hosted_confirmation: null, redirect: null, type: 'portal_homepage' },
            customer_update: null,
            subscription_cancel: null,
            subscription_pause: null,
            subscription_update: null,
            subscription_update_confirm: null,
            type: 'payment_method_update',
          },
          livemode: false,
          locale: null,
          on_behalf_of: null,
          return_url: given.return_url,
          url: `${work.publicUrl}/dev-stripe/portal/${session}`,
        },
        {},
      ).body;
    },
  ),
];
