import { expect, test } from 'vitest';
import { resumedRentalText } from './resumed-rental-text.ts';

const charge = '$9 is charged on Dec 20, 2026. Nothing is charged now.';
const at = (day: string) => `2026-12-${day}T12:00:00.000Z`;
const said = (until: string | null, chargedAt: string | null, nextName?: string) =>
  resumedRentalText({ name: 'Travel', charge, chargedAt, inPlan: { planName: 'Pro', until, nextName } });

test('a rental resumed alongside a plan is paid twice until the plan stops including it', () => {
  const besides = `Besides your plan, ${charge}`;
  const confirmLabel = 'Resume and pay twice';
  expect(said(null, at('20'))).toEqual({
    text: `Your Pro plan includes Travel. If you keep renting it, you pay twice. ${besides}`,
    confirmLabel,
  });
  expect(said(at('27'), at('20'), 'Basic')).toEqual({
    text: `Your Pro plan includes Travel until Dec 27, 2026; Basic does not include it. If you keep renting it, you pay twice until then. ${besides}`,
    confirmLabel,
  });
  expect(said(at('27'), null), 'the next charge is unknown').toMatchObject({ confirmLabel });
});

test('a rental charged after the plan has stopped including it is not paid twice', () => {
  const text = `Your Pro plan includes Travel until Dec 20, 2026. ${charge}`;
  expect(said(at('20'), at('21'))).toEqual({ text });
  expect(said(at('20'), '2026-12-20T11:59:00.000Z'), 'on the same day').toEqual({ text });
  expect(said(at('20'), at('20'), 'Basic').text).toContain('until Dec 20, 2026; Basic does not include it. $9');
});
