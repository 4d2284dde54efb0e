/**
 * The SMSC of both contenders: takes each submission, and sends its receipt before the response. Reports when it has got
 * a requested number of answers to receipts.
 */
import { Smsc } from '../../test/support/peers/smsc.js';

let wanted: number | null = null;
let count = 0;
const smsc = await Smsc.start();
smsc.respond = (submitted) => {
  smsc.submitted.length = 0;
  const id = `m${++count}`;
  smsc.receipt(id, 'DELIVRD', submitted);
  return { status: 0, id };
};

process.on('message', (message: { readonly count: number }) => {
  smsc.acknowledged.length = 0;
  wanted = message.count;
  void smsc
    .until(() => wanted !== null && smsc.acknowledged.length >= wanted)
    .then(() =>
      process.send?.({ atMs: Date.now(), refused: smsc.acknowledged.filter((status) => status !== 0).length }),
    );
});
process.send?.({ port: smsc.port, password: smsc.password });
