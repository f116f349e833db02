import { z } from 'zod';
import { endpoint } from './endpoint.ts';

const ofUser = z.object({ userId: z.string() });

export const exportMyData = endpoint({
  id: 'exportMyData',
  method: 'GET',
  path: '/api/users/:userId/export',
  summary: 'Downloads all stored data of the caller, without secrets',
  access: 'account',
  weight: 100,
  params: ofUser,
  answer: z.object({
    success: z.literal(true),
    exportedAt: z.iso.datetime(),
    /** Data by area of the product: profile, signIns, accessTokens, connectedApps, usage and others. */
    data: z.record(z.string(), z.unknown()),
  }),
  errors: ['too_many_downloads', 'not_found', 'authentication_required', 'unauthenticated'],
});

export const deleteMyAccount = endpoint({
  id: 'deleteMyAccount',
  method: 'DELETE',
  path: '/api/users/:userId/account',
  summary: "Deletes the caller's account permanently; confirm must be its e-mail address",
  access: 'account',
  params: ofUser,
  body: z.object({ confirm: z.string().max(320) }),
  answer: z.object({ success: z.literal(true) }),
  errors: ['not_found', 'account_not_confirmed', 'authentication_required', 'unauthenticated'],
});

export const accountEndpoints = [exportMyData, deleteMyAccount] as const;
