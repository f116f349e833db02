/**
 * DEMO tax rates in percent by country of the billing address. They resemble former real rates and are not tax advice. Other
 * countries have no tax.
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

/** Countries offered on the sandbox's pages: those of the table, and one without tax. */
export const demoCountries: readonly string[] = [...Object.keys(demoPercent), 'US'].toSorted();

export type TaxRule = {
  percent: number;
  reason: 'standard_rated' | 'reverse_charge' | 'not_collecting';
};

/** Returns the tax to collect. A business that names its tax id owes the tax itself. */
export function taxRuleOf(country: string | undefined, taxId: string | undefined): TaxRule {
  const percent = demoPercent[country ?? ''];
  if (percent === undefined) return { percent: 0, reason: 'not_collecting' };
  return taxId === undefined ? { percent, reason: 'standard_rated' } : { percent: 0, reason: 'reverse_charge' };
}
