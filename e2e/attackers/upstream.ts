// Server that the attackers and the disturbed users call, in a separate process. Sends its address to the parent.
import { startEndingServer } from '../../apps/broker/src/features/gateway/call/testing/ending-server.ts';

const server = await startEndingServer('modern');
process.send?.({ address: server.address });
process.once('disconnect', () => process.exit(0));
