import { adminReason } from '@souk/contract/admin/users.ts';
import { z } from 'zod';

/** The operator's name on the machine. */
export const operatorName = z.string().max(200);

export const reasonOfCommand = adminReason.transform((text) => text ?? 'by command');
