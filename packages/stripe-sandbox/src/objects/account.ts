import type { Row, Work } from '../work.ts';
import { badRequest } from '../api/stripe-error.ts';
import type { Account, AccountMemory, PaymentMethodType } from './types.ts';

const id = 'acct_sandbox';

/** Returns the sandbox's account, which has the settings of a new Stripe account. */
export async function readAccount(work: Work): Promise<Pick<Row<'account'>, 'body' | 'memory'>> {
  return (await work.get('account', id)) ?? { body: newAccount(), memory: { ...newSettings } };
}

const newSettings: AccountMemory = {
  afterLastRetry: 'cancel',
  billingMode: 'classic',
  paymentMethods: ['card', 'sepa_debit'],
};

/** @throws StripeError for a payment method type that the account has disabled */
export async function checkMethods(
  work: Work,
  wanted: readonly PaymentMethodType[] | undefined,
  param: string,
): Promise<void> {
  const { paymentMethods } = (await readAccount(work)).memory;
  const missing = wanted?.find((one) => !paymentMethods.includes(one));
  if (missing !== undefined)
    throw badRequest(
      `The payment method type provided: ${missing} is invalid. Please ensure the provided type is activated in your dashboard.`,
      { param },
    );
}

/** Changes account settings, as Stripe's dashboard does. */
export async function changeAccount(
  work: Work,
  change: Partial<AccountMemory> & { hostedPaymentMethodSave?: 'always' | 'never' | 'offer' | undefined },
): Promise<void> {
  const { hostedPaymentMethodSave, ...settings } = change;
  const row = (await work.get('account', id)) ?? work.add('account', newAccount(), { ...newSettings });
  Object.assign(row.memory, settings);
  if (hostedPaymentMethodSave && row.body.settings.invoices)
    row.body.settings.invoices.hosted_payment_method_save = hostedPaymentMethodSave;
  work.save(row);
}

function newAccount(): Account {
  const noDescriptor = { statement_descriptor_prefix_kana: null, statement_descriptor_prefix_kanji: null };
  return {
    id,
    object: 'account',
    charges_enabled: true,
    country: 'US',
    default_currency: 'usd',
    details_submitted: true,
    email: null,
    payouts_enabled: false,
    settings: {
      branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
      card_payments: { statement_descriptor_prefix: null, ...noDescriptor },
      dashboard: { display_name: 'Sandbox', timezone: 'Etc/UTC' },
      invoices: { default_account_tax_ids: null, hosted_payment_method_save: 'never' },
      payments: {
        statement_descriptor: null,
        statement_descriptor_kana: null,
        statement_descriptor_kanji: null,
        ...noDescriptor,
      },
    },
    type: 'standard',
  };
}
