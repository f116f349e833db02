import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { paths } from '../../../../paths.ts';

/** Copies our services into a separate folder; the calendar waits at its start while it is held. */
export function servicesWithHeldCalendar(): { services: string; hold(): void; letGo(): void } {
  const services = mkdtempSync(join(temporaryRoot(), 'held-'));
  const held = join(services, 'held');
  for (const name of ['calendar', 'travel']) {
    const folder = join(services, name, 'src');
    mkdirSync(folder, { recursive: true });
    const waits = name === 'calendar' ? `existsSync(${JSON.stringify(held)})` : 'false';
    const main = `
      import { existsSync } from 'node:fs';
      while (${waits}) await new Promise((resolve) => setTimeout(resolve, 10));
      await import(${JSON.stringify(join(paths.services, name, 'src', 'main.ts'))});`;
    writeFileSync(join(folder, 'main.ts'), main);
  }
  return { services, hold: () => writeFileSync(held, ''), letGo: () => rmSync(held, { force: true }) };
}
