import { describeAnswer, failed, passed, textField, type Check } from './check.ts';

/** A broker without its database answers 503 to most requests. Reports that once, instead of blaming the proxy. */
export const readyCheck: Check = {
  id: 'ready',
  name: 'The broker is ready',
  needs: ['public-url'],
  async run(_patient, http) {
    const answer = await http.send('/readyz');
    const status = textField(answer.json, 'status');
    if (status === 'ready') return passed('Its database answers, and it serves requests.');
    if (status === 'not ready') {
      return failed(
        'It answers “not ready”: its database does not answer, or the broker is starting or stopping.',
        'Check that the database runs, and read the log of the broker (docs/runbook/database-away.md).',
      );
    }
    // a proxy may not pass this path on
    return passed(`/readyz gave ${describeAnswer(answer)}: it is not passed on to the broker, which does no harm.`);
  },
};
