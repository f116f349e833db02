/**
 * DEMO percentages by the country of the billing address, for the sandbox alone: they resemble rates that were in force once, and are
 * no advice about tax. In any other country, nothing is collected.
 */
const demoPercent: Readonly<Record<string, number>> = {
  AT: 20,
  AU: 10,
  CA: 5,
  CH: 8.1,
  DE: 19,
  ES: 21,
  FR: 20,
  GB: 20,
  IE: 23,
  IN: 18,
  IT: 22,
  JP: 10,
  NL: 21,
  NO: 25,
  NZ: 15,
  SE: 25,
};

/** The countries that the pages of the sandbox offer: those of the table, and one without tax. */
export const demoCountries: readonly string[] = [...Object.keys(demoPercent), 'US'].toSorted();

export type TaxRule = {
  percent: number;
  reason: 'standard_rated' | 'reverse_charge' | 'not_collecting';
};

/** What is collected of a person. A business that names its tax id owes the tax itself. */
export function taxRuleOf(country: string | undefined, taxId: string | undefined): TaxRule {
  const percent = demoPercent[country ?? ''];
  if (percent === undefined) return { percent: 0, reason: 'not_collecting' };
  return taxId === undefined ? { percent, reason: 'standard_rated' } : { percent: 0, reason: 'reverse_charge' };
}
