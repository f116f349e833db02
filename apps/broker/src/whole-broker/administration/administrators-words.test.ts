import { expect, test } from 'vitest';
import { z } from 'zod';
import { endpoints } from '../../openapi.ts';

/** Texts that administrators write with their actions: the audit log shows them. */
const written = endpoints
  .filter(({ access }) => access === 'admin')
  .flatMap(({ id, body, query }) =>
    [body, query].flatMap((schema) =>
      schema instanceof z.ZodObject
        ? Object.entries(schema.shape)
            .filter(([name]) => name === 'reason' || name === 'note')
            .map(([name, field]) => ({ field: `${name} of ${id}`, schema: z.object({ field }) }))
        : [],
    ),
  );

test('no reason or note of an administrator hides or reverses the text next to it', () => {
  expect(written.length).toBeGreaterThan(15);
  for (const { field, schema } of written) {
    expect(schema.safeParse({ field: ' The كتاب 1 ' }).success, field).toBe(true);
    for (const hidden of ['a\u202Eb', 'a\u2066b', 'a\u200Bb', 'a\nb', 'a\u0000b']) {
      const parsed = schema.safeParse({ field: hidden });
      expect(
        parsed.error?.issues.map(({ message }) => message),
        field,
      ).toEqual(['must not contain hidden characters']);
    }
  }
});
