/** A browser that also sends the name of another one comes before that one. */
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
/** Twice the length of the longest real user agent. */
const longest = 512;

/**
 * Names a browser for its user, such as "Chrome on Linux": only with the names above, never with text of the header,
 * which its sender chooses freely. @returns null when neither is known
 */
export function nameBrowser(userAgent: string | undefined): string | null {
  const text = userAgent?.slice(0, longest) ?? '';
  const nameOf = (names: typeof browsers) => names.find(([, pattern]) => pattern.test(text))?.[0];
  const browser = nameOf(browsers);
  const system = nameOf(systems);
  if (browser === undefined) return system === undefined ? null : `A browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
