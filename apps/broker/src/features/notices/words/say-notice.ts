import { moneyText, monthlyText } from '@souk/contract/billing/currencies.ts';
import type { PersonNotice } from '@souk/contract/notices.ts';
import { noticeFacts, type FactsOf } from '#platform/notices/notice-facts.ts';

/** The text of a mail: short paragraphs, and at most one action. */
export type Words = {
  subject: string;
  paragraphs: readonly string[];
  action?: { label: string; path: string };
};

type Say<Kind extends PersonNotice> = (facts: FactsOf<Kind>) => Words;

const billing = '/dashboard?tab=billing';
const connections = '/dashboard?tab=connections';

const say: { readonly [Kind in PersonNotice]: Say<Kind> } = {
  payment_failed: ({ what, hasEnded }) => ({
    subject: `The payment for the ${what} failed`,
    paragraphs: [
      `The last payment for the ${what} failed.`,
      hasEnded
        ? 'Access has ended. Pay to continue, or cancel, so that nothing more is charged.'
        : 'You keep access while the payment is tried again. If it keeps failing, access ends.',
    ],
    action: { label: 'Pay or change your card', path: billing },
  }),

  payment_refunded: ({ amount, currency }) => ({
    subject: `We refunded ${moneyText(amount, currency)}`,
    paragraphs: [
      `We refunded ${moneyText(amount, currency)} to the card or account that you paid with.`,
      'Your bank may take several days to show it.',
    ],
    action: { label: 'See your payments', path: billing },
  }),

  price_changes: ({ plan, from, to, appliesAt }) => ({
    subject: `The price of the ${plan} plan changes`,
    paragraphs: [
      `From ${dayOf(appliesAt)} the ${plan} plan costs ${monthlyText(to.amount, to.currency)}.`,
      ...(from ? [`Until then you pay ${monthlyText(from.amount, from.currency)}, as now.`] : []),
      'If you cancel before that day, you never pay the new price.',
    ],
    action: { label: 'See your plan', path: billing },
  }),

  service_undeployed: ({ service, endsAt }) => ({
    subject: `${service} is no longer offered`,
    paragraphs: [
      `${service}, which you rent, is no longer offered here.`,
      `Your rental ends on ${dayOf(endsAt)} and is not charged again.`,
    ],
    action: { label: 'See what you rent', path: '/dashboard?tab=services' },
  }),

  app_connected: ({ app, at }) => ({
    subject: `${app} was connected to your account`,
    paragraphs: [
      `On ${momentOf(at)}, the app ${app} was allowed to use your services.`,
      "If this wasn't you, disconnect it: its access ends immediately.",
    ],
    action: { label: 'See your connected apps', path: connections },
  }),

  account_deleted: ({ at, by }) => ({
    subject: 'Your account was deleted',
    paragraphs: [
      by === 'owner'
        ? `You deleted your account on ${momentOf(at)}.`
        : `An administrator deleted your account on ${momentOf(at)}.`,
      'Your apps and access tokens no longer work, and nothing more is charged. Records of payments and credits stay, anonymized.',
      "If you didn't ask for this, write to us. This is the last e-mail: we forget your address once it is sent.",
    ],
  }),

  access_ends: ({ what, endsAt, isTrial }) => ({
    subject: `The ${what} ends on ${dayOf(endsAt)}`,
    paragraphs: [
      `The ${what} ends on ${dayOf(endsAt)}. Nothing more is charged.`,
      isTrial
        ? 'To keep the service, rent it or choose a plan that includes it.'
        : 'To keep it, resume it before then.',
    ],
    action: isTrial
      ? { label: 'See your services', path: '/dashboard?tab=services' }
      : { label: 'Resume it', path: billing },
  }),

  credits_low: ({ left, granted }) => ({
    subject: `You have ${count(left, 'credit')} left`,
    paragraphs: [
      `You have ${count(left, 'credit')} left of the ${count(granted, 'credit')} that you got last.`,
      'Without credits, paid calls are refused. Free tools keep working.',
    ],
    action: { label: 'Get credits', path: '/plans' },
  }),

  token_expires: ({ token, expiresAt }) => ({
    subject: `The access token ${token} expires on ${dayOf(expiresAt)}`,
    paragraphs: [
      `Your access token ${token} expires on ${dayOf(expiresAt)}. Anything using it stops working then.`,
      'Create a new one before that day, and put it in its place.',
    ],
    action: { label: 'See your access tokens', path: connections },
  }),
};

/** @throws ZodError for facts of another version of the product */
export function sayNotice(kind: PersonNotice, facts: unknown): Words {
  return wordsOf(kind, facts);
}

function wordsOf<Kind extends PersonNotice>(kind: Kind, facts: unknown): Words {
  const schema = noticeFacts[kind];
  // `say` and `noticeFacts` have the same keys, which TypeScript cannot follow through the generic
  return say[kind](schema.parse(facts) as FactsOf<Kind>);
}

const count = (of: number, what: string): string => `${of.toLocaleString('en-US')} ${what}${of === 1 ? '' : 's'}`;

// A mail does not know its reader's time zone.
const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
const dayOf = (iso: string): string => day.format(new Date(iso));
const momentOf = (iso: string): string => `${moment.format(new Date(iso))} UTC`;
