/** Texts by the reason in the log of calls. Past tense, since the user may have fixed it meanwhile. */
const texts: Readonly<Record<string, string>> = {
  switched_off: 'The service was switched off.',
  not_included: "The service wasn't included in your plan.",
  sign_in_required:
    "You hadn't signed in to the service's own account, or its administrator hadn't entered a valid key.",
  tool_changed: "The tool has changed, and an administrator hasn't approved the change yet.",
  price_raised: "The tool's price had risen, and you hadn't approved the new one.",
  client_cannot: "The tool asks questions, and the client can't answer them.",
  input_required: "The tool asked a question in the client, which hasn't been answered.",
  needs_task: "The tool only runs as a task, which isn't supported here.",
  unknown: 'None of your services has what it asked for.',
  undeployed: 'The service is no longer offered here.',
  storage_full: 'The files that services keep took up too much space.',
  over_limit: 'The service used or sent more than a program may.',
  rate_limited: 'The client made too many calls within a minute.',
  busy: 'The service was busy with other calls.',
  upstream_unavailable: "The service couldn't be reached.",
  timeout: "The service didn't answer in time.",
  bad_upstream: "The service's answer wasn't valid MCP.",
  bad_result: "The service's result wasn't what the tool promises.",
  result_too_large: "The service's answer was too large to pass on.",
  protocol_error: 'The service answered with an error.',
  tool_error: 'It asked for something that cannot be done.',
  cancelled: 'The client canceled it.',
  stopped: 'The gateway was restarted while the call waited for an answer.',
  not_dispatched: 'The client canceled it.',
};

/** Says why a call was not answered. A newer broker may give a reason that this page does not know. */
export function UnansweredReason({ reason }: { reason: string | null }) {
  const text = (reason === null ? undefined : texts[reason]) ?? 'Something unexpected went wrong.';
  return <span className="text-[0.8125rem] text-quiet">{text}</span>;
}
