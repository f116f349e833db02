/** Currencies whose amounts the payment provider counts in whole units. */
const wholeUnits = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
/** Those that it counts in thousandths. */
const thousandths = 'BHD JOD KWD OMR TND'.split(' ');

/**
 * What the shop can sell in: the currencies that the payment provider charges in and counts in hundredths, as all amounts of
 * the shop are.
 */
const sold: ReadonlySet<string> = new Set(
  (
    'AED AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CNY COP CRC CVE CZK DKK ' +
    'DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD KES KGS KHR KYD KZT LKR LRD LSL ' +
    'MAD MDL MKD MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON SAR SBD SCR SEK ' +
    'SGD SHP SLE SRD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UYU UZS WST XCD ZAR ZMW'
  ).split(' '),
);

/** The least that the payment provider charges, in hundredths. It names none for the others: as of the dollar. */
const smallest: Readonly<Record<string, number>> = {
  AED: 200,
  BGN: 100,
  CZK: 1500,
  DKK: 250,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  PLN: 200,
  RON: 200,
  SEK: 300,
  THB: 1000,
};

/** How many decimals amounts of a currency have, three capital letters. */
export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (wholeUnits.includes(currency)) return 0;
  return thousandths.includes(currency) ? 3 : 2;
}

/** Why nothing can be sold in a currency; undefined: it can. */
export function currencyFault(currency: string): string | undefined {
  if (sold.has(currency)) return undefined;
  return 'must be a currency with two decimals that the payment provider charges in, such as USD or EUR';
}

/** The least that can be charged, in hundredths. */
export const leastAmount = (currency: string): number => smallest[currency] ?? 50;

/** Why a price above 0 cannot be charged; undefined: it can. @param amount hundredths */
export function amountFault(amount: number, currency: string): string | undefined {
  const least = leastAmount(currency);
  if (amount >= least) return undefined;
  return `must be at least ${least}: the payment provider charges no less than ${moneyText(least, currency)}`;
}

/** Minor units as people write them, without the currency: 450 of USD is "4.50". */
export function decimalText(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return (amount / 10 ** decimals).toFixed(decimals);
}

/**
 * Minor units as an amount, in the one form that screens, receipts, audit rows and commands have: 450 of USD is "$4.50", and whole
 * units have no zeros, so that a price reads the same where it is offered, charged and listed: 1900 is "$19".
 * @param currency three letters
 */
export function moneyText(amount: number, currency: string): string {
  const code = currency.toUpperCase();
  const digits = decimalsOf(code);
  let format = formats.get(code);
  if (!format) {
    format = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: code,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      trailingZeroDisplay: 'stripIfInteger',
    });
    formats.set(code, format);
  }
  return format.format(amount / 10 ** digits);
}

/** What is charged each month, in the one form that all screens have: "$19/month" (spec part 1, section 9). */
export function monthlyText(amount: number, currency: string): string {
  return `${moneyText(amount, currency)}/month`;
}

const formats = new Map<string, Intl.NumberFormat>();
