import { expect, test } from 'vitest';
import { hueOf } from './hues.ts';

const ids = Array.from({ length: 400 }, (_, place) => `service-${place.toString(36)}`);

test('a service keeps its hue, and the services of a market use all eight', () => {
  const counts = new Map<string, number>();
  for (const id of ids) {
    expect(hueOf(id)).toBe(hueOf(id));
    counts.set(hueOf(id), (counts.get(hueOf(id)) ?? 0) + 1);
  }
  expect(counts.size).toBe(8);
  expect(Math.min(...counts.values())).toBeGreaterThan(20);
});

test('a white initial has contrast on each hue', () => {
  for (const hue of new Set(ids.map(hueOf))) {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
      const share = Number.parseInt(hue.slice(start, start + 2), 16) / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    expect(1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05), hue).toBeGreaterThan(4.5);
  }
});
