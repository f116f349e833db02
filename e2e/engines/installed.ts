import { existsSync, globSync } from 'node:fs';

/** Paths of the programs from Debian's packages firefox-esr, webkit2gtk-driver and xvfb. */
export const firefoxPath = '/usr/bin/firefox-esr';
export const webkitDriverPath = '/usr/bin/WebKitWebDriver';
export const xvfbPath = '/usr/bin/Xvfb';
const [found] = globSync('/usr/lib/*/webkit2gtk-4.1/MiniBrowser');
export const miniBrowserPath = found ?? '/usr/lib/webkit2gtk-4.1/MiniBrowser';

export const hasFirefox = existsSync(firefoxPath);
export const hasWebkit = [webkitDriverPath, xvfbPath, miniBrowserPath].every((path) => existsSync(path));
