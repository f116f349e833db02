import { useState } from 'react';
import type { PurchaseDialogProps } from './purchase-dialog.tsx';

export type AskedPurchase = {
  /** `purchase` of the address: opens the dialog at once, for a visitor who has signed in. */
  asked: string | undefined;
  onAnswered: () => void;
};

/** Returns whether the dialog of a service is open: by a button, or because the address asks for it. */
export function usePurchaseDialog({ asked, onAnswered }: AskedPurchase): {
  ask: () => void;
  dialog: Pick<PurchaseDialogProps, 'type' | 'open' | 'onClose'>;
} {
  const [isOpen, setOpen] = useState(false);
  const onClose = () => {
    setOpen(false);
    onAnswered();
  };
  return { ask: () => setOpen(true), dialog: { type: asked, open: isOpen || asked !== undefined, onClose } };
}
