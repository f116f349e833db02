import { useState } from 'react';
import type { PurchaseDialogProps } from './purchase-dialog.tsx';

export type AskedPurchase = {
  /** `purchase` of the address: opens the dialog immediately, for a visitor who has just signed in. */
  asked: string | undefined;
  onAnswered: () => void;
};

/** Opens the dialog of a service on a click of its button, or because the address asks for it. */
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
