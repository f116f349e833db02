export const otherWindowText = 'Finish in the other window.';

/** Says where a sign-in continues while its window is or may be open, and how it ended. */
export function OtherWindowHint({ text }: { text: string | undefined }) {
  return (
    <p role="status" className="text-[0.8125rem] text-quiet empty:hidden">
      {text}
    </p>
  );
}
