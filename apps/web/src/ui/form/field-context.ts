import { createContext, use } from 'react';

export type FieldLink = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  required: boolean | undefined;
};

export const FieldContext = createContext<FieldLink | undefined>(undefined);

/** Returns the attributes that connect a control to its Field's label, hint and error. Empty outside a Field. */
export function useFieldLink(): Partial<FieldLink> {
  return use(FieldContext) ?? {};
}
