// The upstream servers of the hostile suite, in their own process. Sends their addresses to the parent.
import { findDeadPort, startFaultServer } from '../../apps/broker/src/testing/fault-server.ts';

const faults = await startFaultServer();
process.send?.({ address: faults.address, dead: `127.0.0.1:${await findDeadPort()}` });
process.once('disconnect', () => process.exit(0));
