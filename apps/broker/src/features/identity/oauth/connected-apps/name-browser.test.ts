import { expect, test } from 'vitest';
import { nameBrowser } from './name-browser.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const appleWebKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

test.each([
  ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/142.0.0.0 Safari/537.36`],
  ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/142.0.0.0 Safari/537.36`],
  ['Chrome on Windows', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/142.0.0.0 Safari/537.36`],
  ['Chrome on Android', `Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/142.0.0.0 Mobile Safari/537.36`],
  ['Chrome on ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/142.0.0.0 Safari/537.36`],
  [
    'Chrome on iPhone',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${appleWebKit} CriOS/142.0.0.0 Mobile/15E148 Safari/604.1`,
  ],
  [
    'Edge on Windows',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
  ],
  [
    'Opera on macOS',
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0`,
  ],
  [
    'Samsung Internet on Android',
    `Mozilla/5.0 (Linux; Android 10; K) ${webKit} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`,
  ],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
  ['Firefox on Android', 'Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0'],
  ['Safari on macOS', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${appleWebKit} Version/26.0 Safari/605.1.15`],
  [
    'Safari on iPad',
    `Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) ${appleWebKit} Version/26.0 Mobile/15E148 Safari/604.1`,
  ],
  ['A browser on Linux', 'Epiphany (X11; Linux x86_64)'],
  ['Firefox', 'Firefox/145.0'],
])('%s is recognized by its User-Agent', (name, userAgent) => {
  expect(nameBrowser(userAgent)).toBe(name);
});

test('a user agent that is not a browser gets no name, and none of its text is shown', () => {
  for (const userAgent of [undefined, '', 'node', '<b>Your bank</b>\u202E', `${'x'.repeat(10_000)} Firefox/1`]) {
    expect(nameBrowser(userAgent)).toBeNull();
  }
  expect(nameBrowser('<script>alert(1)</script> Chrome/1 on your (Windows) bank')).toBe('Chrome on Windows');
});
