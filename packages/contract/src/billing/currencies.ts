/** Currencies whose amounts the payment provider counts in whole units. */
const wholeUnits = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
/** Currencies that it counts in thousandths. */
const thousandths = 'BHD JOD KWD OMR TND'.split(' ');

/**
 * Currencies that the shop can sell in: the payment provider charges in them and counts them in hundredths, as all amounts of
 * the shop are.
 */
const sellable: ReadonlySet<string> = new Set(
  (
    'AED AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CNY COP CRC CVE CZK DKK ' +
    'DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD KES KGS KHR KYD KZT LKR LRD LSL ' +
    'MAD MDL MKD MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON SAR SBD SCR SEK ' +
    'SGD SHP SLE SRD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UYU UZS WST XCD ZAR ZMW'
  ).split(' '),
);

/** Payment provider's minimum charge, in hundredths. It names none for other currencies, so the dollar's applies. */
const minimumCharges: Readonly<Record<string, number>> = {
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

/** Returns the number of decimals in amounts of a currency (three uppercase letters). */
export function decimalsOf(currency: string): 0 | 2 | 3 {
  if (wholeUnits.includes(currency)) return 0;
  return thousandths.includes(currency) ? 3 : 2;
}

/** Returns why nothing can be sold in a currency; undefined if it can. */
export function currencyFault(currency: string): string | undefined {
  if (sellable.has(currency)) return undefined;
  return 'must be a currency with two decimals that the payment provider charges in, such as USD or EUR';
}

/** Minimum charge, in hundredths. */
export const leastAmount = (currency: string): number => minimumCharges[currency] ?? 50;

/**
 * Returns why a price above 0 cannot be charged; undefined if it can.
 * @param amount hundredths
 */
export function amountFault(amount: number, currency: string): string | undefined {
  const least = leastAmount(currency);
  if (amount >= least) return undefined;
  return `must be at least ${least}: the payment provider charges no less than ${moneyText(least, currency)}`;
}

/** Formats minor units as a decimal without the currency: 450 of USD is "4.50". */
export function decimalText(amount: number, currency: string): string {
  const decimals = decimalsOf(currency);
  return (amount / 10 ** decimals).toFixed(decimals);
}

/**
 * Formats minor units as screens, receipts, audit rows and commands show them: 450 of USD is "$4.50". Whole units have no zeros,
 * so that a price looks the same wherever it appears: 1900 is "$19".
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

/** Formats a monthly price: "$19/month" (spec part 1, section 9). */
export function monthlyText(amount: number, currency: string): string {
  return `${moneyText(amount, currency)}/month`;
}

const formats = new Map<string, Intl.NumberFormat>();
