/** Says at the top of every page that the Stripe stand-in takes the payments. */
export function DemoPayments() {
  return (
    <aside
      aria-label="Demo payments"
      className="border-b border-line bg-sunken px-4 py-1.5 text-center text-xs text-quiet sm:px-6"
    >
      <strong className="font-medium text-text">
        Demo<span className="max-sm:sr-only"> payments</span>
      </strong>
      {' · No money moves. '}
      <span className="max-sm:hidden">Pay with the card</span>
      <span className="whitespace-nowrap">
        <span className="sm:hidden">Card:</span> 4242 4242 4242 4242
      </span>
    </aside>
  );
}
