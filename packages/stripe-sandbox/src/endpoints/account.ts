import { id, listParameters, parameters, webAddress } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { noSuch } from '../api/stripe-error.ts';
import { readAccount } from '../objects/account.ts';
import type { PaymentMethodType } from '../objects/types.ts';
import { findCustomer } from './customers.ts';
import { z } from 'zod';

/** The account itself, its customers' payment methods, and the portal in which they change them. */
export const accountRoutes = [
  route('GET', 'account', parameters({}), async ({ work }) => (await readAccount(work)).body),
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
