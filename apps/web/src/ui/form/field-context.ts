import { createContext, use } from 'react';

/** What a field tells the control in it. */
export type FieldLink = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  required: boolean | undefined;
};

export const FieldContext = createContext<FieldLink | undefined>(undefined);

/** The attributes that join a control to its Field's label, hint and error. Nothing outside a Field. */
export function useFieldLink(): Partial<FieldLink> {
  return use(FieldContext) ?? {};
}
