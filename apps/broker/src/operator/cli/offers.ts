import { userInfo } from 'node:os';
import { monthlyText, moneyText } from '@souk/contract/billing/currencies.ts';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import {
  movePreviewedSchema,
  offerChangedSchema,
  offerShownSchema,
  offersListedSchema,
} from '#operator/commands/offer-commands.ts';
import { askBrokerOrRun, UsageError, type CliOptions, type Command, type Values } from './command.ts';
import { json, jsonHelp } from './users.ts';

const changes = {
  archive: 'archives a plan or a credit package: no one else can buy it, and those who have it keep it',
  restore: 'brings an archived plan or credit package back',
  'take-file': "takes offers.json's version of an offer again, from now on at each start",
} as const;
type Change = keyof typeof changes;

const changeCommand = (type: Change): Command => ({
  name: `offers ${type}`,
  summary: changes[type],
  usage: `offers ${type} ID [--check] [--reason R] [--json]`,
  argument: 'ID',
  options: { check: { type: 'boolean' }, reason: { type: 'string' }, ...json },
  help: [
    ['ID', 'the id of the plan or the package'],
    ['--check', 'says what it would do, and changes nothing'],
    ['--reason R', 'why, for the audit log'],
    jsonHelp,
  ],
  run: (values, cli, positionals) => change(type, values, cli, positionals),
});

/** `souk offers …`: what the administrator's screen shows and does. */
export const offerCliCommands: readonly Command[] = [
  {
    name: 'offers list',
    summary: 'lists plans and credit packages, with what offers.json no longer changes',
    usage: 'offers list [--json]',
    options: json,
    help: [jsonHelp],
    run: list,
  },
  {
    name: 'offers show',
    summary: 'shows an offer, who pays what for it, and its history',
    usage: 'offers show ID [--json]',
    argument: 'ID',
    options: json,
    help: [['ID', 'the id of the plan or the package'], jsonHelp],
    run: show,
  },
  changeCommand('archive'),
  changeCommand('restore'),
  changeCommand('take-file'),
  {
    name: 'offers preview-move',
    summary: "says what moving a plan's subscribers to its price of today would do, while Souk runs",
    usage: 'offers preview-move ID [--json]',
    argument: 'ID',
    options: json,
    help: [
      ['ID', 'the id of the plan'],
      ['', 'the move itself is begun in the administration, after a fresh sign-in'],
      jsonHelp,
    ],
    run: previewMove,
  },
];

function idOf([id]: readonly string[]): string {
  if (id === undefined) throw new UsageError('ID is required');
  return id;
}

function priceOf(fields: OfferFields): string {
  const { kind, amount, currency } = fields;
  if (kind === 'plan') return monthlyText(amount, currency);
  return `${moneyText(amount, currency)} for ${fields.credits + fields.bonus} credits`;
}

async function list(values: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  const listed = offersListedSchema.parse(await askBrokerOrRun({ environment, stderr }, 'offers.list', {}));
  if (values['json'] === true) return stdout(JSON.stringify(listed));
  for (const { offerId, fields, active, subscribers, ending, olderPrice } of listed.offers) {
    const facts = [
      priceOf(fields),
      ...(subscribers > 0 ? [`${subscribers} subscribed`] : []),
      ...(ending > 0 ? [`${ending} not renewing`] : []),
      ...(olderPrice > 0 ? [`${olderPrice} at an older price`] : []),
      ...(active ? [] : ['archived']),
      ...(listed.editedHere.includes(offerId) ? ['edited here: offers.json no longer changes it'] : []),
    ];
    stdout(`${offerId}: ${fields.name}, ${facts.join(', ')}`);
  }
}

async function show(
  values: Values,
  { environment, stdout, stderr }: CliOptions,
  positionals: readonly string[],
): Promise<void> {
  const args = { id: idOf(positionals) };
  const { offer, prices, history, ...rest } = offerShownSchema.parse(
    await askBrokerOrRun({ environment, stderr }, 'offers.show', args),
  );
  if (values['json'] === true) return stdout(JSON.stringify({ offer, prices, history, ...rest }));
  stdout(`${offer.fields.name}: ${priceOf(offer.fields)}${offer.active ? '' : ' (archived)'}`);
  for (const { amount, currency, monthlyCredits, subscribers, ending } of prices) {
    const price =
      amount === null || currency === null ? 'a price that was not read yet' : monthlyText(amount, currency);
    stdout(
      `  ${subscribers} subscribed at ${price}${monthlyCredits === null ? '' : `, ${monthlyCredits} credits a month`}${ending > 0 ? `, ${ending} not renewing` : ''}`,
    );
  }
  for (const { at, by, action, changes: said, reason } of history) {
    stdout(
      `  ${at} ${action}${by === null ? '' : ` by ${by}`}${said.length > 0 ? `: ${said.join('; ')}` : ''}${reason === null ? '' : ` (${reason})`}`,
    );
  }
}

async function change(
  type: Change,
  values: Values,
  { environment, stdout, stderr }: CliOptions,
  positionals: readonly string[],
): Promise<void> {
  const { check, reason } = values;
  const args = { id: idOf(positionals), type, preview: check === true, reason, operator: userInfo().username };
  const changed = offerChangedSchema.parse(await askBrokerOrRun({ environment, stderr }, 'offers.change', args));
  if (values['json'] === true) return stdout(JSON.stringify(changed));
  for (const effect of changed.effects) stdout(effect);
  if (check === true) stdout('Nothing is changed yet.');
}

async function previewMove(
  values: Values,
  { environment, stdout, stderr }: CliOptions,
  positionals: readonly string[],
): Promise<void> {
  const args = { id: idOf(positionals) };
  const preview = movePreviewedSchema.parse(await askBrokerOrRun({ environment, stderr }, 'offers.preview-move', args));
  if (values['json'] === true) return stdout(JSON.stringify(preview));
  for (const effect of preview.effects) stdout(effect);
}
