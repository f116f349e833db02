/** Says where the sign-in goes on, while its window is open. */
export function OtherWindowHint({ isOpen }: { isOpen: boolean }) {
  return (
    <p role="status" className="text-[0.8125rem] text-quiet empty:hidden">
      {isOpen && 'Finish in the other window.'}
    </p>
  );
}
