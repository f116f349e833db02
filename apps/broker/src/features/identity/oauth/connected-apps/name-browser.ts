/** Those that call themselves by others' names too come before these others. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|OPiOS|OPX|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const systems: readonly (readonly [string, RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\b(?:Linux|X11)\b/],
];
/** Twice as long as the longest of real browsers; the rest of a longer one is ignored. */
const longest = 512;

/**
 * What a person may know a browser by, "Chrome on Linux": one of the names above, never a word of the header itself, which
 * its sender chooses freely.
 * @returns null for one that names neither
 */
export function nameBrowser(userAgent: string | undefined): string | null {
  const text = userAgent?.slice(0, longest) ?? '';
  const nameOf = (names: typeof browsers) => names.find(([, pattern]) => pattern.test(text))?.[0];
  const browser = nameOf(browsers);
  const system = nameOf(systems);
  if (browser === undefined) return system === undefined ? null : `A browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
