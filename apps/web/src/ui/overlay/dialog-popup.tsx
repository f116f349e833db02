import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import X from 'lucide-react/icons/x';
import { useRef, type ReactNode, type RefObject } from 'react';
import { buttonClasses } from '../button-look.ts';
import { classNames } from '../class-names.ts';
import type { rememberFocus } from './focus-return.ts';

export type DialogProps = {
  open: boolean;
  /** Called with false on Escape, on Close and on a click outside. */
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  /** 400, 520 or 720 px wide at most. */
  size?: 'small' | 'medium' | 'large' | undefined;
  /** role=alertdialog: a click outside does not close it. */
  urgent?: boolean | undefined;
  /** Only the buttons of the footer close it: there is no Close button, and Escape does nothing. */
  closesByFooter?: boolean | undefined;
  /** Gets the focus when the dialog opens, instead of the first element that can have it. */
  initialFocus?: RefObject<HTMLElement | null> | undefined;
  /** Warnings and errors. They stay visible above the buttons while a long text is scrolled. */
  notices?: ReactNode;
  /** Buttons; the main one comes last. */
  footer?: ReactNode;
  children?: ReactNode;
};

export type DialogPopupProps = DialogProps & {
  /** Returns the element that gets the focus when the dialog closes. */
  focusReturn: ReturnType<typeof rememberFocus> | undefined;
};

const widths = { small: 'max-w-sm', medium: 'max-w-md', large: 'max-w-lg' } as const;

/** The dialog itself; Dialog loads it when one is first opened. */
export function DialogPopup({
  open,
  onOpenChange,
  title,
  description,
  size = 'medium',
  urgent,
  closesByFooter,
  initialFocus,
  notices,
  footer,
  children,
  focusReturn,
}: DialogPopupProps) {
  const popup = useRef<HTMLDivElement>(null);
  const Root = urgent ? AlertDialog.Root : BaseDialog.Root;
  return (
    <Root open={open} onOpenChange={(next) => !closesByFooter && onOpenChange(next)}>
      <BaseDialog.Portal>
        {/* a dialog above another one dims it too */}
        <BaseDialog.Backdrop
          forceRender
          className="fixed inset-0 bg-shade transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
        />
        <BaseDialog.Viewport className="fixed inset-0 flex items-end justify-center p-3 sm:items-center sm:p-6">
          <BaseDialog.Popup
            ref={popup}
            {...(initialFocus && { initialFocus })}
            finalFocus={() => focusReturn?.(popup.current) ?? true}
            className={classNames(
              'relative flex max-h-full w-full flex-col overflow-hidden rounded-lg border border-line bg-surface text-text shadow-float transition data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
              widths[size],
            )}
          >
            <div className="px-5 pt-5 pr-14 sm:px-6 sm:pt-6">
              <BaseDialog.Title dir="auto" className="text-base font-semibold wrap-anywhere">
                {title}
              </BaseDialog.Title>
              {description && (
                <BaseDialog.Description dir="auto" className="mt-1 text-quiet">
                  {description}
                </BaseDialog.Description>
              )}
            </div>
            <div className="min-h-0 flex-1 overflow-y-auto px-5 pt-4 pb-5 sm:px-6 sm:pb-6">{children}</div>
            <div className="flex max-h-[40dvh] shrink-0 flex-col gap-2 overflow-y-auto px-5 pb-4 empty:hidden sm:px-6">
              {notices}
            </div>
            {footer && (
              <div className="flex flex-col-reverse gap-2 border-t border-line px-5 py-4 sm:flex-row sm:justify-end sm:px-6">
                {footer}
              </div>
            )}
            {!closesByFooter && (
              <BaseDialog.Close
                aria-label="Close"
                className={buttonClasses({ variant: 'ghost', size: 'medium', square: true }, 'absolute! top-3 right-3')}
              >
                <X aria-hidden size={17} />
              </BaseDialog.Close>
            )}
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </Root>
  );
}
