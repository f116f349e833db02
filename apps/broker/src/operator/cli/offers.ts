import { userInfo } from 'node:os';
import { monthlyText, moneyText } from '@souk/contract/billing/currencies.ts';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import {
  movePreviewedSchema,
  offerChangedSchema,
  offerShownSchema,
  offersListedSchema,
} from '#operator/commands/offer-commands.ts';
import type { z } from 'zod';
import {
  answeredCommand,
  auditReasonHelp,
  flag,
  text,
  UsageError,
  type CliOptions,
  type Command,
  type Values,
} from './command.ts';

const offerHelp = ['ID', 'the id of the plan or the package'] as const;

const changes = {
  archive: 'archives a plan or a credit package: new customers cannot buy it, existing ones keep it',
  restore: 'restores an archived plan or credit package',
  'take-file': 'returns control of an offer to offers.json, now and at each start',
} as const;

const changeCommand = (type: keyof typeof changes): Command =>
  answeredCommand({
    name: `offers ${type}`,
    summary: changes[type],
    usage: `offers ${type} ID [--check] [--reason R] [--json]`,
    argument: 'ID',
    options: { check: flag, reason: text },
    help: [offerHelp, ['--check', 'print what it would do, and change nothing'], auditReasonHelp],
    command: 'offers.change',
    answer: offerChangedSchema,
    args: ({ check, reason, ...values }) => ({
      id: idOf(values),
      type,
      preview: check === true,
      reason,
      operator: userInfo().username,
    }),
    print({ effects }, stdout, { values }) {
      for (const effect of effects) stdout(effect);
      if (values.check === true) stdout('Nothing is changed yet.');
    },
  });

export const offerCliCommands: readonly Command[] = [
  answeredCommand({
    name: 'offers list',
    summary: 'lists plans and credit packages, and which of them offers.json no longer changes',
    command: 'offers.list',
    answer: offersListedSchema,
    print: printList,
  }),
  answeredCommand({
    name: 'offers show',
    summary: 'shows an offer, its subscribers by price, and its history',
    usage: 'offers show ID [--json]',
    argument: 'ID',
    help: [offerHelp],
    command: 'offers.show',
    answer: offerShownSchema,
    args: (values) => ({ id: idOf(values) }),
    print: printOffer,
  }),
  changeCommand('archive'),
  changeCommand('restore'),
  changeCommand('take-file'),
  answeredCommand({
    name: 'offers preview-move',
    summary: "shows what moving a plan's subscribers to its current price would do; requires a running broker",
    usage: 'offers preview-move ID [--json]',
    argument: 'ID',
    help: [
      ['ID', 'the id of the plan'],
      ['', 'the move itself is started in the administration, after a fresh sign-in'],
    ],
    command: 'offers.preview-move',
    answer: movePreviewedSchema,
    args: (values) => ({ id: idOf(values) }),
    print({ effects }, stdout) {
      for (const effect of effects) stdout(effect);
    },
  }),
];

function idOf({ ID: id }: Values): string {
  if (typeof id !== 'string') throw new UsageError('ID is required');
  return id;
}

function priceOf(fields: OfferFields): string {
  const { kind, amount, currency } = fields;
  if (kind === 'plan') return monthlyText(amount, currency);
  return `${moneyText(amount, currency)} for ${fields.credits + fields.bonus} credits`;
}

function printList({ offers, editedHere }: z.output<typeof offersListedSchema>, stdout: CliOptions['stdout']): void {
  for (const { offerId, fields, active, subscribers, ending, olderPrice } of offers) {
    const facts = [
      priceOf(fields),
      ...(subscribers > 0 ? [`${subscribers} subscribed`] : []),
      ...(ending > 0 ? [`${ending} not renewing`] : []),
      ...(olderPrice > 0 ? [`${olderPrice} at an older price`] : []),
      ...(active ? [] : ['archived']),
      ...(editedHere.includes(offerId) ? ['edited here: offers.json no longer changes it'] : []),
    ];
    stdout(`${offerId}: ${fields.name}, ${facts.join(', ')}`);
  }
}

function printOffer({ offer, prices, history }: z.output<typeof offerShownSchema>, stdout: CliOptions['stdout']): void {
  stdout(`${offer.fields.name}: ${priceOf(offer.fields)}${offer.active ? '' : ' (archived)'}`);
  for (const { amount, currency, monthlyCredits, subscribers, ending } of prices) {
    const price =
      amount === null || currency === null ? 'a price that was not read yet' : monthlyText(amount, currency);
    const credits = monthlyCredits === null ? '' : `, ${monthlyCredits} credits a month`;
    stdout(`  ${subscribers} subscribed at ${price}${credits}${ending > 0 ? `, ${ending} not renewing` : ''}`);
  }
  for (const { at, by, action, changes: said, reason } of history) {
    const who = by === null ? '' : ` by ${by}`;
    const what = said.length > 0 ? `: ${said.join('; ')}` : '';
    stdout(`  ${at} ${action}${who}${what}${reason === null ? '' : ` (${reason})`}`);
  }
}
