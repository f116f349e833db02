import type { ReactNode } from 'react';
import { Button, type ButtonProps } from '#ui/button.tsx';
import { Notice } from '#ui/state/notice.tsx';

export type BuyButtonProps = Pick<ButtonProps, 'variant' | 'onClick'> & {
  busy: boolean;
  failure: string | undefined;
  children: ReactNode;
};

export function BuyButton({ busy, failure, variant, onClick, children }: BuyButtonProps) {
  return (
    <>
      <Button wide variant={variant} loading={busy} onClick={onClick}>
        {children}
      </Button>
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
    </>
  );
}
