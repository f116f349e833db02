// Upstream servers of the hostile suite, in a separate process. Sends their addresses to the parent.
import { startFaultServer } from '../../apps/broker/src/testing/servers/fault-server.ts';
import { freePort } from '../../apps/broker/src/testing/network/free-port.ts';

const faults = await startFaultServer();
process.send?.({ address: faults.address, dead: `127.0.0.1:${await freePort()}` });
process.once('disconnect', () => process.exit(0));
